import type { auditLog } from './audit-log.ts';
import type {
  AUDIT_LOG_KINDS,
  AuditLogChange,
  AuditLogKind,
  AuditLogTargetType,
  AuditLogValue,
} from './audit-log-kinds.ts';
import type { NewerValue, Simplify, Wire } from './field.ts';

/** The fields of all kinds. */
type Fields = Wire<typeof auditLog>;
type Kinds = typeof AUDIT_LOG_KINDS;

type OfEvery = Pick<Fields, 'id' | 'createdAt' | 'keyId' | 'actor' | 'requestId' | 'ip' | 'userAgent'>;
type Present<Names extends keyof Fields> = Required<Pick<Fields, Names>>;

/** The fields of kinds that are older than targets. */
type OwnOf<Kind> = Kind extends 'api.request'
  ? Present<'method' | 'path' | 'status' | 'durationMs'> & Pick<Fields, 'recordIds'>
  : Kinds[Kind & AuditLogKind] extends { readonly target: 'record' | 'resource' }
    ? Present<'resource' | 'recordIds'>
    : Kind extends 'records.imported'
      ? Present<'resource' | 'records'>
      : unknown;

type TargetOf<D> = D extends { readonly target: infer Target }
  ? { readonly targetType?: Target } & Pick<Fields, 'targetId' | 'targetLabel'>
  : unknown;

type DetailsOf<D> = D extends { readonly details: readonly (infer Name extends string)[] }
  ? { readonly details?: { readonly [N in Name]?: AuditLogValue } }
  : unknown;

type ChangesOf<D> = D extends { readonly changes: infer C }
  ? {
      readonly changes?: readonly (C extends readonly (infer Name extends string)[]
        ? AuditLogChange & { readonly field: Name }
        : AuditLogChange)[];
    }
  : unknown;

/** The fields that an entry of this kind does not have. They can be read before the kind is known. */
type Absent<Known> = { readonly [Name in Exclude<keyof Fields, keyof Known>]?: undefined };

type Complete<Known> = Simplify<Known & Absent<Known>>;

type EntryOf<Kind extends AuditLogKind> = Complete<
  OfEvery & { readonly kind: Kind } & OwnOf<Kind> &
    TargetOf<Kinds[Kind]> &
    DetailsOf<Kinds[Kind]> &
    ChangesOf<Kinds[Kind]>
>;

type NewerEntry = Simplify<
  Omit<Fields, 'kind' | 'targetType'> & {
    readonly kind: NewerValue;
    readonly targetType?: AuditLogTargetType | NewerValue;
  }
>;

/** The JSON type of the entries of the audit log. Their `kind` decides what the other fields are. */
export type AuditLogEntryOfAnyKind = { [Kind in AuditLogKind]: EntryOf<Kind> }[AuditLogKind] | NewerEntry;
