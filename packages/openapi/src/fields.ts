import { type Field, type Fields, type JsonSchema, schemaOf, writtenSchemaOf } from '@svc/sdk/contract';

/** The schema of a field's values, with its description and an example. */
export const describedSchema = (field: Field): JsonSchema => ({
  ...schemaOf(field),
  description: field.description,
  examples: [field.example],
});

/** The schema of the values that a writer may give a field, with its description and an example. */
export const writtenSchema = (field: Field): JsonSchema => ({
  ...describedSchema(field),
  ...writtenSchemaOf(field),
});

/**
 * The schema of a field whose values are added within a version, such as `kind`: a known value, or any text. A
 * validator that a client generates from it therefore accepts new values.
 */
export function openSchema({ enum: values, type, ...rest }: JsonSchema): JsonSchema {
  return { ...rest, anyOf: [{ type, enum: values }, { type: 'string' }] };
}

/** The schema of a field in responses. Request bodies and filters accept only known values. */
const shownSchema = (field: Field): JsonSchema =>
  field.kind === 'choice' && field.open === true
    ? openSchema(describedSchema(field))
    : describedSchema(field);

/** The schema of an object with these fields. */
export function objectSchema(description: string, fields: Fields): JsonSchema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    description,
    required: entries.filter(([, { mayBeAbsent }]) => mayBeAbsent !== true).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, shownSchema(field)])),
  };
}

/** An object with these fields. */
export const exampleOf = (fields: Fields): JsonSchema =>
  Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example]));
