import { writableFields } from '@svc/sdk/contract';
import type { DataRecord, Field, ResourceContract } from '../../resources/resources.ts';

/** The values of a form: what is typed in each field. */
export type FormValues = Readonly<Record<string, string>>;
/** Changed fields, as the service expects them. */
export type Patch = Readonly<Record<string, string | number | null>>;
export type FormField = readonly [name: string, field: Field];

/** The fields that the edit form shows. A record keeps its company, and StatusMoves changes its state. */
export const formFields = (resource: ResourceContract): readonly FormField[] =>
  Object.entries(writableFields(resource, 'patch')).filter(
    ([name]) => name !== resource.company && name !== resource.transitions?.field,
  );

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

/** An empty text is null in a nullable field. The service refuses what is not a number in an integer field. */
function parseValue({ kind, nullable }: Field, text: string): string | number | null {
  const empty = text.trim() === '';
  if (empty && nullable === true) return null;
  return kind === 'integer' && !empty && !Number.isNaN(Number(text)) ? Number(text) : text;
}
