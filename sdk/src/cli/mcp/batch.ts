import type { Operation, OperationResult } from '../../collection/types.ts';
import {
  BATCH_MAX_OPERATIONS,
  CONTRACT,
  type CompleteResource,
  completeResource,
} from '../../contract/index.ts';
import { fits } from './bounded.ts';
import { closed, type Tool } from './tool.ts';

const RESOURCES: readonly CompleteResource[] = Object.values(CONTRACT)
  .map(completeResource)
  .filter(({ writes }) => writes !== undefined);

const methodsOf = ({ path, writes }: CompleteResource): string =>
  `\`POST ${path}\`, ${(writes?.length ?? 0) > 1 ? '`PUT`, `PATCH` and `DELETE`' : '`PUT`'} \`${path}/{id}\``;

/** The tool for writes to several resources in one transaction. */
export const BATCH_TOOL: Tool = {
  name: 'run_batch',
  description: `Carries out up to ${BATCH_MAX_OPERATIONS} writes in their order, all or none. Each one finds what those before it have written: create a record by \`PUT\` with an id of your own, and later operations can use this id. With a test key, this is how to try writes that depend on each other: the whole batch is one dry run, and nothing of it is kept for the next call. Returns the \`status\` and the \`body\` of each operation in \`data\`; if the records are too long, only their ids.`,
  inputSchema: closed(
    {
      operations: {
        type: 'array',
        minItems: 1,
        maxItems: BATCH_MAX_OPERATIONS,
        items: closed(
          {
            method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
            path: {
              type: 'string',
              pattern: `^(${RESOURCES.map(({ path }) => path).join('|')})(/[^/?#]+)?$`,
              description: `The path of a list with \`POST\`, otherwise that of a record: ${RESOURCES.map(methodsOf).join('; ')}.`,
            },
            body: {
              type: 'object',
              description:
                'The fields: with `POST` the arguments of the tool that creates such a record, with `PUT` the same without `id`, with `PATCH` those that change. Not with `DELETE`.',
            },
            ifMatch: { type: 'string', description: 'As the header `If-Match`. Not with `POST`.' },
            ifNoneMatch: {
              type: 'string',
              description: 'As the header `If-None-Match`: with `PUT`, `*` only creates.',
            },
          },
          ['method', 'path'],
        ),
      },
    },
    ['operations'],
  ),
  kind: 'batch',
  call: async (svc, { operations }, options) => {
    const data = await svc.batch(operations as readonly Operation[], options);
    const result = { data };
    // The writes are carried out, so this is no failure.
    return fits(result) ? result : { data: data.map(withoutFields) };
  },
};

/** The result of an operation with nothing of its record but the id. */
const withoutFields = ({ status, body }: OperationResult): OperationResult =>
  body === undefined ? { status } : { status, body: { id: (body as { readonly id: string }).id } };
