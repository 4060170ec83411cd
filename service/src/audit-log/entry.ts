import type { AuditLogEntry, AuditLogKind } from '@svc/sdk';
import { newId } from '../ids.ts';

/** Every kind of entry there is (docs/assumptions.md, Audit log). */
export const AUDIT_LOG_KINDS = [
  'api.request',
  'key.created',
  'key.rotated',
  'key.revoked',
  'member.invited',
  'member.removed',
  'member.role_changed',
  'quota.changed',
  'record.changed',
  'records.imported',
  'session.signed_in',
  'session.sign_in_failed',
] as const satisfies readonly AuditLogKind[];

/** An entry before the log's clock has given it a time. */
export type NewEntry = Omit<AuditLogEntry, 'id' | 'createdAt'>;

/**
 * The wire JSON of an entry in two parts: PostgreSQL puts the time it gives between them, so that the entry is
 * written once, complete, by the statement that locks the log's clock.
 */
export interface EntryDoc {
  readonly id: string;
  readonly kind: AuditLogKind;
  readonly keyId: string | null;
  readonly head: string;
  readonly tail: string;
}

export function entryDoc({ kind, ...fields }: NewEntry): EntryDoc {
  const id = newId('log');
  return {
    id,
    kind,
    keyId: fields.keyId,
    head: `{"id":"${id}","kind":"${kind}","createdAt":"`,
    tail: `",${JSON.stringify(fields).slice(1)}`,
  };
}
