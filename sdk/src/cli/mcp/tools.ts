import { NOW } from '../../changes/follow.ts';
import type { Svc } from '../../client.ts';
import {
  CONTRACT,
  type CompleteResource,
  comparedFields,
  completeResource,
  DIRECTIONS,
  FIELDS,
  type Field,
  type JsonSchema,
  oneOf,
  PAGE_LIMIT_MAX,
  PAGE_LIMIT_MIN,
  rangesOf,
  requiredFields,
  schemaOf,
  sortsOf,
  sortsOfRange,
  WAIT_MAX_SECONDS,
  writableFields,
  writtenSchemaOf,
} from '../../contract/index.ts';
import type { Positioned } from '../../wire.ts';
import type { AnyCollection } from '../commands/read.ts';
import { BATCH_TOOL } from './batch.ts';
import { CALL_MAX_MS, readBounded } from './bounded.ts';
import { type Arguments, closed, type Tool } from './tool.ts';

/** The tools of `svc mcp`. All of them derive from the contract. */

/** Less than the default of the API, because the result becomes part of a prompt. */
const LIMIT_DEFAULT = 20;

const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();

const described = (field: Field): JsonSchema => ({ ...schemaOf(field), description: field.description });

const writtenSchemasOf = (fields: Readonly<Record<string, Field>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...writtenSchemaOf(field), description: field.description },
    ]),
  );

const schemasOf = (fields: Readonly<Record<string, Field>>): JsonSchema =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, described(field)]));

/** The ranges of a list. A list without sorts is always in the order of creation. */
const rangeSchemas = (resource: CompleteResource): JsonSchema =>
  Object.fromEntries(
    Object.entries(rangesOf(resource)).map(([name, { fieldName, field, operator, sort }]) => [
      name,
      {
        ...schemaOf(field),
        description: `\`${fieldName}\` ${operator} this value.${resource.sorts === undefined ? '' : ` Only with \`sort\` ${sortsOfRange({ sort }).join(' or ')}.`}`,
      },
    ]),
  );

function listTool(resource: CompleteResource): Tool {
  const { name, plural, path, sorts, positions, description } = resource;
  const positioned: JsonSchema = {
    after: {
      type: 'string',
      description: `A position (\`pagination.position\` or the id of one of the ${plural}), or \`now\`: returns what follows it, oldest first. Excludes \`cursor\` and \`direction\`.`,
    },
    wait: {
      type: 'integer',
      minimum: 0,
      maximum: WAIT_MAX_SECONDS,
      description: 'With `after`: how many seconds to wait for the next one if there is none.',
    },
  };
  return {
    name: `list_${snake(name)}`,
    description: `Returns a page of ${plural}, newest first${sorts === undefined ? '' : ' unless `sort` says otherwise'}: \`data\`, and the cursors in \`pagination\`. For the next page, call it again with \`nextCursor\` as \`cursor\` and the same filters, until it is null: a page may have fewer items than its limit, even none.${positions === true ? ' With `after`, continue with `pagination.position` as `after`.' : ''} ${description}`,
    inputSchema: closed({
      cursor: {
        type: 'string',
        description: '`nextCursor` of the page before. Leave it out for the first page.',
      },
      limit: {
        type: 'integer',
        minimum: PAGE_LIMIT_MIN,
        maximum: PAGE_LIMIT_MAX,
        default: LIMIT_DEFAULT,
        description:
          'Items per page. The page has fewer items if they are long. An item that is too long by itself has only its `id`: to read more of it, call the tool again with the same `cursor`, `limit` 1 and the `fields` that you need.',
      },
      direction: {
        type: 'string',
        enum: DIRECTIONS,
        description: '`before`: the items before the cursor. Default: those after it.',
      },
      ...(sorts === undefined ? {} : { sort: { type: 'string', enum: sortsOf(resource) } }),
      ...schemasOf(comparedFields(resource)),
      ...rangeSchemas(resource),
      ...(positions === true ? positioned : {}),
      [FIELDS]: {
        type: 'string',
        description: `Only these fields of each item, with a comma between them, and always \`id\`: ${Object.keys(resource.fields).join(',')}. Fewer fields need fewer tokens.`,
      },
    }),
    kind: 'read',
    call: async (svc, { limit = LIMIT_DEFAULT, fields, wait, ...input }, options) => {
      // A request that waits may be answered only after `wait` seconds.
      const more = positions === true ? { timeoutMs: CALL_MAX_MS } : {};
      const read = async (values: Arguments): Promise<unknown> => {
        const given = Object.entries({ ...input, ...values }).filter(([, value]) => value !== undefined);
        const query = Object.fromEntries(given.map(queryValue));
        return (await svc.request('GET', path, { query, ...options, ...more })).body;
      };
      // A page that is too long is read again from the same place. After a wait, `now` is another place.
      const fixed = wait !== undefined && input['after'] === NOW;
      const after = fixed ? positionOf(await read({ limit, fields })) : input['after'];
      return readBounded({ limit, fields }, (size) => read({ ...size, after, wait }));
    },
  };
}

const positionOf = (page: unknown): string =>
  (page as { readonly pagination: Positioned }).pagination.position;

/** A parameter as text. The service refuses one that is not text or a number there. */
const queryValue = ([name, value]: readonly [string, unknown]): readonly [string, string] => [
  name,
  typeof value === 'string' ? value : JSON.stringify(value),
];

const idSchema = ({ singular }: CompleteResource): JsonSchema => ({
  type: 'string',
  description: `Id of the ${singular}.`,
});

/** An id, for the client library, which refuses anything but text. */
const idOf = ({ id }: Arguments): string => id as string;

/** The tools of a resource, by its property in the client. */
function resourceTools(property: string, resource: CompleteResource): readonly Tool[] {
  const { name, type, singular, plural, counted, writes = [] } = resource;
  const collection = (svc: Svc): AnyCollection =>
    svc[property as keyof typeof CONTRACT] as unknown as AnyCollection;
  const one = snake(type);
  const get: Tool = {
    name: `get_${one}`,
    description: `Returns ${oneOf(resource)} by its id.`,
    inputSchema: closed({ id: idSchema(resource) }, ['id']),
    kind: 'read',
    call: (svc, input, options) => collection(svc).get(idOf(input), options),
  };
  const count: Tool = {
    name: `count_${snake(name)}`,
    description: `Returns the exact number of ${plural} that the key can read.`,
    inputSchema: closed({}),
    kind: 'read',
    call: (svc, _, options) => collection(svc).count(options),
  };
  const create: Tool = {
    name: `create_${one}`,
    description: `Creates ${oneOf(resource)} and returns it.`,
    inputSchema: closed(
      writtenSchemasOf(writableFields(resource, 'create')),
      requiredFields(resource, 'create'),
    ),
    kind: 'create',
    call: (svc, input, options) => collection(svc).create(input, options),
  };
  const update: Tool = {
    name: `update_${one}`,
    description: `Changes the given fields of ${oneOf(resource)} and returns it. Other fields keep their values; null clears a field that may be null.${movesText(resource)}`,
    inputSchema: closed({ id: idSchema(resource), ...writtenSchemasOf(writableFields(resource, 'patch')) }, [
      'id',
    ]),
    kind: 'update',
    call: (svc, input, options) => {
      const { id: _, ...change } = input;
      return collection(svc).update(idOf(input), change, options);
    },
  };
  const remove: Tool = {
    name: `delete_${one}`,
    description: `Deletes ${oneOf(resource)} permanently.`,
    inputSchema: closed({ id: idSchema(resource) }, ['id']),
    kind: 'delete',
    call: async (svc, input, options) => {
      await collection(svc).delete(idOf(input), options);
      return { deleted: input['id'], type: singular };
    },
  };
  return [
    listTool(resource),
    get,
    ...(counted === true ? [count] : []),
    ...(writes.length > 0 ? [create] : []),
    ...(writes.length > 1 ? [update, remove] : []),
  ];
}

const movesText = ({ transitions }: CompleteResource): string =>
  transitions === undefined
    ? ''
    : ` \`${transitions.field}\` can only change like this: ${Object.entries(transitions.moves)
        .map(([from, to]) => `${from} to ${to.join(' or ')}`)
        .join('; ')}.`;

const ME_TOOL: Tool = {
  name: 'get_me',
  description: 'Returns the API key, its workspace, access and mode, and the remaining quota.',
  inputSchema: closed({}),
  kind: 'read',
  call: (svc, _, options) => svc.me(options),
};

/** Every tool. Without `writes`, only those that read. */
export function toolsOf({ writes }: { readonly writes: boolean }): readonly Tool[] {
  const all = Object.entries(CONTRACT).flatMap(([property, resource]) =>
    resourceTools(property, completeResource(resource)),
  );
  return [ME_TOOL, ...all, BATCH_TOOL].filter(({ kind }) => writes || kind === 'read');
}
