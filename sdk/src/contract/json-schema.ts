import { type Field, TEXT_RULES } from './field.ts';
import { ID_PATTERN, NEW_ID_PATTERN } from './id.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const string: JsonSchema = { type: 'string' };
const scalar: JsonSchema = {
  anyOf: [string, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
};

/** The JSON Schema of a field's values. */
export function schemaOf(field: Field): JsonSchema {
  const schema = schemaWithoutNull(field);
  if (field.nullable !== true) return schema;
  const { type, enum: values } = schema;
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

/** The JSON Schema of the values that a writer may give a field. */
export function writtenSchemaOf(field: Field): JsonSchema {
  const rule = field.kind === 'text' ? field.rule : undefined;
  return rule === undefined ? schemaOf(field) : { ...schemaOf(field), pattern: TEXT_RULES[rule].pattern };
}

function schemaWithoutNull(field: Field): JsonSchema {
  switch (field.kind) {
    case 'id':
      return { type: 'string', pattern: field.isNew === true ? NEW_ID_PATTERN : ID_PATTERN };
    case 'text': {
      const { min = 1, max, format } = field;
      const length = { minLength: min, maxLength: max };
      return { type: 'string', ...length, ...(format === undefined ? {} : { format }) };
    }
    case 'integer':
      return { type: 'integer', minimum: field.min, maximum: field.max };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'choice':
      return { type: 'string', enum: field.values };
    case 'boolean':
      return { type: 'boolean' };
    case 'ids':
      return { type: 'array', items: string };
    case 'values':
      return { type: 'object', patternProperties: { '^.*$': scalar } };
    case 'changes': {
      const properties = { field: string, before: scalar, after: scalar };
      return { type: 'array', items: { type: 'object', required: ['field'], properties } };
    }
  }
}
