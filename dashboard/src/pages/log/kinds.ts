import { AUDIT_LOG_KINDS, type AuditLogKind } from '@svc/sdk/contract';

/** The label of each kind of entry. */
export const KIND_LABELS = Object.fromEntries(
  Object.entries(AUDIT_LOG_KINDS).map(([kind, { label }]) => [kind, label]),
) as Readonly<Record<AuditLogKind, string>>;
