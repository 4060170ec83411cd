import { capitalized, defaultOf, writableFields } from '@svc/sdk/contract';
import { isFailure, messageOf } from '../../../api/failure.ts';
import { formatTime } from '../../../format/time.ts';
import { fieldLabel, valueLabel } from '../../../resources/labels.ts';
import type { DataRecord, Field, ResourceContract } from '../../../resources/resources.ts';

/** The values of a form: what is typed in each field. */
export type FormValues = Readonly<Record<string, string>>;
/** The refusals of the service, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>;
/** Fields to write, as the service expects them. */
export type Patch = Readonly<Record<string, string | number | null>>;
export type FormField = readonly [name: string, field: Field];

/** The fields that the edit form shows. A record keeps its company, and StatusMoves changes its state. */
export const formFields = (resource: ResourceContract): readonly FormField[] =>
  Object.entries(writableFields(resource, 'patch')).filter(
    ([name]) => name !== resource.company && name !== resource.transitions?.field,
  );

/** The field with the company that a record belongs to; null if it belongs to none. */
export const parentOf = ({ company }: ResourceContract): string | null => (company === 'id' ? null : company);

/** The fields of the form for a new record, without its company. The service creates its id. */
export const creationFields = (resource: ResourceContract): readonly FormField[] =>
  Object.entries(writableFields(resource, 'create')).filter(
    ([name]) => name !== 'id' && name !== resource.company,
  );

/** The form values of a new record: the defaults. */
export const startValues = (fields: readonly FormField[]): FormValues =>
  Object.fromEntries(fields.map(([name, field]) => [name, String(defaultOf(field) ?? '')]));

/** The fields of a new record. Those that are empty and can be null are left out. */
export const creationOf = (fields: readonly FormField[], values: FormValues): Patch =>
  Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const value = parseValue(field, values[name] ?? '');
      return value === null ? [] : [[name, value]];
    }),
  );

/**
 * The refusals of these fields; empty if the error is about anything else. A message is `/title is required. /url must …`.
 */
export function fieldErrors(error: unknown, names: readonly string[]): FieldErrors {
  if (!isFailure(error, 'invalid_body')) return {};
  const sentences = messageOf(error).split(/(?<=\.) (?=\/)/);
  const found = sentences.map((sentence) => /^\/(\w+) (.+)$/s.exec(sentence) ?? []);
  if (!found.every(([, name = '']) => names.includes(name))) return {};
  return Object.fromEntries(found.map(([, name = '', reason = '']) => [name, capitalized(reason)]));
}

/** The form values of a record. Null is an empty text. */
export const formValues = (fields: readonly FormField[], record: DataRecord): FormValues =>
  Object.fromEntries(fields.map(([name]) => [name, String(record[name] ?? '')]));

/** The fields whose form value differs from the record; empty if there is no change. */
export const patchOf = (fields: readonly FormField[], record: DataRecord, values: FormValues): Patch => {
  const before = formValues(fields, record);
  return Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const value = values[name] ?? '';
      return value === before[name] ? [] : [[name, parseValue(field, value)]];
    }),
  );
};

/** The form values for the latest version of a record: what the person has not changed is as in this version. */
export function valuesAfter(
  fields: readonly FormField[],
  original: DataRecord,
  latest: DataRecord,
  values: FormValues,
): FormValues {
  const changed = patchOf(fields, original, values);
  return Object.fromEntries(
    Object.entries(formValues(fields, latest)).map(([name, value]) => [
      name,
      name in changed ? (values[name] ?? '') : value,
    ]),
  );
}

/** The fields that both the person and somebody else changed, as `Title is now "Words".` To save would replace these. */
export function changedByBoth(
  fields: readonly FormField[],
  original: DataRecord,
  latest: DataRecord,
  values: FormValues,
): readonly string[] {
  const before = formValues(fields, original);
  const now = formValues(fields, latest);
  return fields.flatMap(([name, field]) => {
    const value = now[name] ?? '';
    const both = ![before[name], values[name]].includes(value) && values[name] !== before[name];
    return both ? [`${fieldLabel(name)} is now ${shownValue(field, value)}.`] : [];
  });
}

function shownValue({ kind }: Field, value: string): string {
  if (value === '') return 'empty';
  return `"${kind === 'time' ? formatTime(value) : kind === 'choice' ? valueLabel(value) : value}"`;
}

/** An empty text is null in a nullable field. The service refuses what is not a number in an integer field. */
function parseValue({ kind, nullable }: Field, text: string): string | number | null {
  const empty = text.trim() === '';
  if (empty && nullable === true) return null;
  return kind === 'integer' && !empty && !Number.isNaN(Number(text)) ? Number(text) : text;
}
