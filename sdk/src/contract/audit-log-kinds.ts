import { RECORD_KINDS, SESSION_KINDS, WEBHOOK_KINDS } from './audit-log-parts.ts';

/** What an entry of the audit log can be about. */
export const AUDIT_LOG_TARGET_TYPES = [
  'import',
  'invitation',
  'key',
  'member',
  'record',
  'resource',
  'webhook',
  'workspace',
] as const;
export type AuditLogTargetType = (typeof AUDIT_LOG_TARGET_TYPES)[number];

/** A value in an entry of the audit log. */
export type AuditLogValue = string | number | boolean | null;

/** A changed value in an entry of the audit log. */
export interface AuditLogChange {
  /** What changed, such as `role`. */
  readonly field: string;
  /** Absent for a field of a record. */
  readonly before?: AuditLogValue;
  /** Absent for a field of a record. */
  readonly after?: AuditLogValue;
}

/** What an entry of one kind contains in addition to the fields of every entry. */
export interface AuditLogKindDeclaration {
  /** For people, in a few words. */
  readonly label: string;
  readonly description: string;
  /** The value of `targetType`. Absent: the entry has no target. */
  readonly target?: AuditLogTargetType;
  /** The names in `details`. Absent: the entry has none. */
  readonly details?: readonly string[];
  /** The fields in `changes`. `any`: any field of a record, without values. Absent: the entry has no changes. */
  readonly changes?: readonly string[] | 'any';
}

/**
 * Every kind of entry in the audit log. The wire type, the filter, the OpenAPI schema, the types of what the service
 * writes and the labels in the dashboard derive from this table. Kinds are added, never removed.
 */
export const AUDIT_LOG_KINDS = {
  'account.backup_codes_created': {
    label: 'Backup codes created',
    description: 'A person created new backup codes. The earlier codes stopped working.',
    target: 'member',
  },
  'account.changed': {
    label: 'Account changed',
    description: 'A person changed their own name or email address.',
    target: 'member',
    changes: ['name', 'email'],
  },
  'account.password_changed': {
    label: 'Password changed',
    description: 'A person changed their password. `sessionsEnded` is how many other sessions ended with it.',
    target: 'member',
    details: ['sessionsEnded'],
  },
  'account.password_check_failed': {
    label: 'Wrong current password',
    description: 'A signed-in person entered a wrong current password. `action` is what they tried to do.',
    target: 'member',
    details: ['action'],
  },
  'account.password_reset': {
    label: 'Password reset',
    description:
      'A new password was set by a one-time link or by the operator. All sessions of the person ended.',
    target: 'member',
    details: ['method', 'sessionsEnded'],
  },
  'account.reset_link_created': {
    label: 'Reset link created',
    description: 'An owner or the operator created a one-time link that sets a new password.',
    target: 'member',
  },
  'account.provider_connected': {
    label: 'Sign-in provider connected',
    description: 'A person connected their account to the OpenID Connect provider, and can sign in with it.',
    target: 'member',
  },
  'account.provider_disconnected': {
    label: 'Sign-in provider disconnected',
    description:
      'An account was disconnected from the OpenID Connect provider, by its person, or by a password reset if the account had a password when it was connected.',
    target: 'member',
  },
  'account.second_factor_disabled': {
    label: 'Second factor switched off',
    description: 'A person switched their second factor off.',
    target: 'member',
  },
  'account.second_factor_enabled': {
    label: 'Second factor switched on',
    description: 'A person switched a second factor on. Their other sessions ended.',
    target: 'member',
    details: ['sessionsEnded'],
  },
  'account.second_factor_reset': {
    label: 'Second factor reset',
    description: 'The operator removed a second factor. All sessions of the person ended.',
    target: 'member',
    details: ['sessionsEnded'],
  },
  'account.second_factor_started': {
    label: 'Second factor set-up started',
    description: 'A person started to set up a second factor, which is not switched on yet.',
    target: 'member',
  },
  'api.request': {
    label: 'API request',
    description: 'A request with a live key.',
  },
  'invitation.withdrawn': {
    label: 'Invitation withdrawn',
    description:
      'An invitation can no longer be accepted: a person withdrew or replaced it, or the person who created it lost the right to invite.',
    target: 'invitation',
    details: ['role'],
  },
  'key.changed': {
    label: 'Key changed',
    description: 'A person changed the name or the limits of an API key.',
    target: 'key',
    changes: ['name', 'expiresAt', 'allowedNetworks', 'burstLimit'],
  },
  'key.created': {
    label: 'Key created',
    description: 'A person created an API key. `replaces` is the id of the key that it replaces.',
    target: 'key',
    details: ['mode', 'access', 'companyId', 'expiresAt', 'allowedNetworks', 'burstLimit', 'replaces'],
  },
  'key.paused': {
    label: 'Key paused',
    description: 'A person paused an API key. It is not accepted until a person resumes it.',
    target: 'key',
    details: ['mode', 'access', 'companyId'],
  },
  'key.resumed': {
    label: 'Key resumed',
    description: 'A person resumed an API key that was paused.',
    target: 'key',
    details: ['mode', 'access', 'companyId'],
  },
  'key.revoked': {
    label: 'Key revoked',
    description: 'A person revoked an API key.',
    target: 'key',
    details: ['mode', 'access', 'companyId'],
  },
  'key.rotated': {
    label: 'Key rotated',
    description: 'A person replaced the token of an API key.',
    target: 'key',
    details: ['mode', 'access', 'companyId'],
  },
  'log.exported': {
    label: 'Audit log exported',
    description: 'A person exported the audit log. `filters` is the query string of the export.',
    target: 'workspace',
    details: ['format', 'filters'],
  },
  'member.invited': {
    label: 'Member invited',
    description: 'A person created an invitation.',
    target: 'invitation',
    details: ['role'],
  },
  'member.joined': {
    label: 'Member joined',
    description:
      'A person became a member: with an invitation, or, if `invitationId` is null, by the first sign-in with the OpenID Connect provider.',
    target: 'member',
    details: ['role', 'invitationId'],
  },
  'member.removed': {
    label: 'Member removed',
    description: 'A person removed a member, or left.',
    target: 'member',
    details: ['role'],
  },
  'member.role_changed': {
    label: 'Role changed',
    description: 'A person changed the role of a member.',
    target: 'member',
    changes: ['role'],
  },
  'quota.changed': {
    label: 'Limits changed',
    description: 'A person changed the live quota or the burst limit.',
    target: 'workspace',
    changes: ['liveQuota', 'burstLimit'],
  },
  ...RECORD_KINDS,
  ...SESSION_KINDS,
  'stream.closed': {
    label: 'Stream closed',
    description:
      'A stream of changes with a live key ended. `changes` is how many it has sent, `durationMs` how long it was open, and `reason` why it ended: `client`, `shutdown`, `invalid_key`, `network_not_allowed`, `quota_exceeded`, `position_expired`, `unavailable` or `internal_error`. Its `requestId` is that of the entry of the request.',
    target: 'key',
    details: ['changes', 'durationMs', 'reason'],
  },
  ...WEBHOOK_KINDS,
  'workspace.created': {
    label: 'Workspace created',
    description: 'A person or the operator created the workspace.',
    target: 'workspace',
  },
  'workspace.deleted': {
    label: 'Workspace deleted',
    description: 'An owner deleted the workspace. Its data is removed seven days later.',
    target: 'workspace',
  },
  'workspace.renamed': {
    label: 'Workspace renamed',
    description: 'A person changed the name of the workspace.',
    target: 'workspace',
    changes: ['name'],
  },
  'workspace.restored': {
    label: 'Workspace restored',
    description: 'An owner or the operator restored the workspace after it had been deleted.',
    target: 'workspace',
  },
  'workspace.security_changed': {
    label: 'Sign-in rules changed',
    description: 'An owner changed whether members need a second factor.',
    target: 'workspace',
    changes: ['secondFactorRequired'],
  },
} as const satisfies Readonly<Record<string, AuditLogKindDeclaration>>;

export type AuditLogKind = keyof typeof AUDIT_LOG_KINDS;
