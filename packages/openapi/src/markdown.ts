import type { JsonSchema } from '@svc/sdk/contract';
import { METHODS, type OpenApiDocument, type Operation, type Parameter, type Reference } from './types.ts';

/** The reference of the API as Markdown, for programs and people who read text. */

/** The same content as the OpenAPI document, without its examples of responses. `publicUrl` has no slash at its end. */
export function openApiMarkdown(document: OpenApiDocument, publicUrl: string): string {
  const { components, tags } = document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }];
    }),
  );
  const sections = tags.map(({ name, description, 'x-displayName': title }) =>
    [
      `## ${title}`,
      description,
      ...operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ method, path, operation }) => operationText(document, `${method} ${path}`, operation)),
    ].join('\n\n'),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaText(name, schema));
  const [security] = Object.values(components.securitySchemes);
  return `${[
    '# API reference',
    String(document.info['description']),
    `The base URL is ${publicUrl}. This page as an OpenAPI document: ${publicUrl}/openapi.json`,
    'Ids in the examples are made up. Replace them by ids of your own records, which lists return.',
    `## API keys in requests\n\n${String(security?.['description'])}`,
    ...sections,
    '## Shared responses',
    'Each of these responses with codes is a failure: it has the body ErrorEnvelope with one of its codes.',
    ...Object.entries(components.responses).map(([name, { description }]) => `### ${name}\n\n${description}`),
    '## Types',
    ...schemas,
  ].join('\n\n')}\n`;
}

function operationText(document: OpenApiDocument, title: string, operation: Operation): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const [sample] = operation['x-codeSamples'] ?? [];
  const body = Object.entries(requestBody?.content ?? {});
  return [
    `### ${title}`,
    `${summary}. ${description}`,
    parameters.length === 0
      ? ''
      : parameters.map((parameter) => parameterText(resolved(document, parameter))).join('\n'),
    body.length === 0
      ? ''
      : `Body (${body.map(([type]) => `\`${type}\``).join(' or ')}): ${typeText(body[0]?.[1].schema ?? {})}. ${requestBody?.description}`,
    `Responses: ${Object.entries(responses)
      .map(([status, response]) => responseText(status, response))
      .join(', ')}.`,
    sample === undefined ? '' : `\`\`\`sh\n${sample.source.trimEnd()}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const resolved = ({ components }: OpenApiDocument, parameter: Parameter | Reference): Parameter => {
  if ('name' in parameter) return parameter;
  const found = components.parameters[nameOf(parameter.$ref)];
  if (found === undefined) throw new Error(`There is no ${parameter.$ref}.`);
  return found;
};

const parameterText = ({ name, in: place, required, description, schema }: Parameter): string =>
  `- \`${name}\` (${place}, ${typeText(schema)}${required ? '' : ', optional'}): ${description}`;

function responseText(status: string, response: Operation['responses'][string]): string {
  if ('$ref' in response) return `${status} ${nameOf(response.$ref)}`;
  const [media] = Object.values(response.content ?? {});
  return media === undefined ? status : `${status} ${typeText(media.schema)}`;
}

function schemaText(name: string, schema: JsonSchema): string {
  const fields = fieldsOf(schema);
  const description = textOf(schema['description']);
  const parts = [`### ${name}`, description, fields.length > 0 ? fields.join('\n') : typeText(schema)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The lines of the fields of an object or of the items of an array, and of the objects in it. */
function fieldsOf(schema: JsonSchema, indent = ''): readonly string[] {
  const { properties, required, items } = schema;
  if (items !== undefined) return fieldsOf(Object(items), indent);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(Object(properties) as Readonly<Record<string, JsonSchema>>).flatMap(
    ([field, value]) => [
      fieldText(field, value, needed.includes(field), indent),
      ...fieldsOf(value, `${indent}  `),
    ],
  );
}

function fieldText(field: string, schema: JsonSchema, required: boolean, indent: string): string {
  const description = oneLine(textOf(schema['description']));
  const name = `${indent}- \`${field}\` (${typeText(schema)}${required ? '' : ', optional'})`;
  return description === '' ? name : `${name}: ${description}`;
}

const textOf = (text: unknown): string => (typeof text === 'string' ? text : '');
const oneLine = (text: string): string => text.replace(/\s*\n+\s*/g, ' ');
const nameOf = (reference: string): string => reference.replace(/^.*\//, '');
const listOf = (schemas: unknown): readonly JsonSchema[] => (Array.isArray(schemas) ? schemas : []);

/** A schema in a few words: `integer 1 to 100, default 50`. */
function typeText(schema: JsonSchema): string {
  const { $ref, type, enum: values, items, format, minimum, maximum, maxLength, maxItems, pattern } = schema;
  if (typeof $ref === 'string') return nameOf($ref);
  const either = listOf(schema['oneOf'] ?? schema['anyOf'] ?? schema['allOf']);
  if (either.length > 0) return [...new Set(either.map(typeText))].join(' or ');
  if (Array.isArray(values))
    return `one of ${values.map((value) => `\`${value}\``).join(', ')}${defaultText(schema)}`;
  const name = (Array.isArray(type) ? type : [type ?? 'any']).join(' or ');
  const range = minimum === undefined || maximum === undefined ? '' : ` ${minimum} to ${maximum}`;
  const most = maxLength ?? maxItems;
  const of = items === undefined ? '' : ` of ${typeText(Object(items))}`;
  const size = most === undefined ? '' : `, at most ${most}`;
  const form = pattern === undefined ? '' : `, matches \`${pattern}\``;
  return `${name}${of}${format === undefined ? '' : ` ${format}`}${range}${size}${form}${defaultText(schema)}`;
}

const defaultText = ({ default: value }: JsonSchema): string =>
  value === undefined ? '' : `, default \`${value}\``;
