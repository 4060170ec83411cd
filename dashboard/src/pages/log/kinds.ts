import type { AuditLogKind } from '@svc/sdk';

/** Every kind of entry in words. */
export const KIND_LABELS: Readonly<Record<AuditLogKind, string>> = {
  'api.request': 'API request',
  'key.created': 'Key created',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'member.invited': 'Member invited',
  'member.removed': 'Member removed',
  'member.role_changed': 'Role changed',
  'quota.changed': 'Limits changed',
  'record.changed': 'Record changed',
  'records.imported': 'Records imported',
  'session.signed_in': 'Signed in',
  'session.sign_in_failed': 'Sign-in failed',
};
