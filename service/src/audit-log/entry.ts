import {
  type AnyAuditLogEntry,
  AUDIT_LOG_KINDS,
  type AuditLogChange,
  type AuditLogKind,
  type AuditLogKindDeclaration,
  type AuditLogValue,
} from '@svc/sdk';
import { newId } from '../config/ids.ts';
import type { ActorContext } from './actor.ts';

/** An entry without the time, which the clock of the log gives it. */
export type NewEntry = Omit<AnyAuditLogEntry, 'id' | 'createdAt'>;

type Kinds = typeof AUDIT_LOG_KINDS;
type EventKind = Exclude<AuditLogKind, 'api.request'>;

/** The object of an event. The label is what the log shows. */
export interface EventTarget {
  readonly id: string;
  readonly label: string;
}

type TargetOf<D> = D extends { readonly target: string } ? { readonly target: EventTarget } : unknown;
/** The details of an import are counted while it runs. They are not written with its entry. */
type DetailsOf<D> = D extends { readonly target: 'import' }
  ? unknown
  : D extends { readonly details: readonly (infer Name extends string)[] }
    ? { readonly details: Readonly<Record<Name, AuditLogValue>> }
    : unknown;
type ChangesOf<D> = D extends { readonly changes: infer C }
  ? {
      readonly changes: readonly (C extends readonly (infer Name extends string)[]
        ? Required<AuditLogChange> & { readonly field: Name }
        : Pick<AuditLogChange, 'field'>)[];
    }
  : unknown;
/** The fields of kinds that are older than targets. */
type FieldsOf<Kind extends AuditLogKind> = Kinds[Kind] extends { readonly target: 'record' | 'resource' }
  ? Required<Pick<AnyAuditLogEntry, 'resource' | 'recordIds'>>
  : Kind extends 'records.imported'
    ? Required<Pick<AnyAuditLogEntry, 'resource'>>
    : unknown;

/** A change by a person or the operator, with the fields that its kind declares. */
export type NewEvent = {
  readonly [Kind in EventKind]: { readonly kind: Kind } & TargetOf<Kinds[Kind]> &
    DetailsOf<Kinds[Kind]> &
    ChangesOf<Kinds[Kind]> &
    FieldsOf<Kind>;
}[EventKind];

/** The entry of an event. */
export function eventEntry(by: ActorContext, event: NewEvent): NewEntry {
  const { kind, target, ...fields } = event;
  const { target: targetType }: AuditLogKindDeclaration = AUDIT_LOG_KINDS[kind];
  return {
    kind,
    keyId: targetType === 'key' ? target.id : null,
    ...by,
    ...(targetType === undefined ? {} : { targetType, targetId: target.id, targetLabel: target.label }),
    ...fields,
  };
}

/**
 * The wire JSON of an entry in two parts. The statement that locks the clock of the log puts the time between them, so that
 * the entry is complete when it is written.
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
    tail: `",${jsonOf(fields).slice(1)}`,
  };
}

/** U+0000 and lone surrogates as JSON.stringify writes them. */
const NO_TEXT = /\\u(?:0000|d[89a-f])/;

/**
 * JSON without the characters that PostgreSQL's text cannot contain. Filters of the log read fields with `->>`, which fails
 * for the whole list if one entry has such a character in any field.
 */
function jsonOf(fields: object): string {
  const json = JSON.stringify(fields);
  if (!NO_TEXT.test(json)) return json;
  return JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value,
  );
}
