import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import { sendConditional, strongEtag } from '@svc/http-content/etag';
import { traced, tracedReader } from '@svc/telemetry/tracing';
import type { FastifyInstance } from 'fastify';
import { timeOfChange } from '../../changes/id.ts';
import { readChange, readChangePage } from '../../changes/list.ts';
import { isExpired, readNewest } from '../../changes/rows.ts';
import { ApiError } from '../../http/errors.ts';
import { type ListDefinition, sortsOf } from '../../list/definition.ts';
import { parseListQuery, type RawQuery } from '../../list/query.ts';
import { type ListAnswer, type ListReader, readFrom, type Scope } from '../../list/read.ts';
import { changes } from '../../resources/index.ts';
import { orInvalidParameter, requireReadable } from '../guards.ts';
import { readPage, requireFields, requireOwnCompany, sendRecord } from '../reads.ts';
import { type LongPollOptions, longPoll, waitSeconds } from './long-poll.ts';

type Query = { Querystring: Record<string, unknown> };
type One = Query & { Params: { id: string } };

/** The value of `after` that names the end of the feed. */
export const NOW = 'now';
/** Parameters that say where a page is, as `after` does. */
const EXCLUDED = ['cursor', 'direction'] as const;

/** The list of changes. It refuses to continue towards newer changes from a place that has expired. */
const LIST: ListDefinition = {
  ...changes.list,
  read: (connections, read) =>
    readChangePage(connections, read, (feed) => {
      if (isExpired(feed.from, feed)) throw expired();
    }),
};

/** The list of changes. In addition to cursors, it has the durable position `after`. */
export function registerChanges(v1: FastifyInstance, reader: ListReader, waiting: LongPollOptions): void {
  v1.get<Query>(`/${changes.name}`, async (request, reply) => {
    const key = requireReadable(request, changes);
    const { after } = request.query;
    const read = (from: string): Promise<ListAnswer> =>
      readAfter(tracedReader(reader, request.span), request.query, from, key);
    const page =
      typeof after === 'string'
        ? await longPoll(request, reply, key, after, waitSeconds(request.query['wait']), read, waiting)
        : await readPage(tracedReader(reader, request.span), LIST, withoutWait(request.query), key);
    return sendConditional(request, reply, page.body, page.etag);
  });

  v1.get<One>(`/${changes.name}/:id`, async (request, reply) => {
    const { workspaceId, companyId } = requireReadable(request, changes);
    const fields = requireFields(request.query, changes);
    const reads = traced(reader.reads, request.span).of(workspaceId);
    const change = await readChange(reads, workspaceId, companyId, request.params.id);
    if (change === undefined) throw new ApiError('not_found', 'There is no such change.');
    return sendRecord(request, reply, { doc: change, etag: strongEtag(change) }, fields);
  });
}

/** The parameters of a page without `after`, which nobody waits for. */
function withoutWait(query: RawQuery): RawQuery {
  if (query['wait'] === undefined) return query;
  throw new ApiError('invalid_parameter', '"wait" needs "after".');
}

/** The changes after a position, in the order of the commits. */
async function readAfter(
  reader: ListReader,
  raw: RawQuery,
  after: string,
  scope: Scope,
): Promise<ListAnswer> {
  const { workspaceId } = scope;
  const query = orInvalidParameter(parseListQuery(changes.list, raw));
  requireOwnCompany(query, scope);
  for (const name of EXCLUDED) {
    if (raw[name] !== undefined) throw new ApiError('invalid_parameter', `"after" excludes "${name}".`);
  }
  const ascending = sortsOf(changes.list).find(({ order }) => order === 'ascending') ?? query.sort;
  if (raw['sort'] !== undefined && query.sort.name !== ascending.name) {
    throw new ApiError('invalid_parameter', `With "after", "sort" must be ${ascending.name}.`);
  }
  const known = after === NOW ? undefined : requirePosition(workspaceId, after);
  const at = known ?? (await readNewest(reader.reads.of(workspaceId), workspaceId));
  const position = { side: 'after', key: timeOfMicros(at), id: after } as const;
  const list = known === undefined ? changes.list : LIST;
  return readFrom(reader, list, { ...query, sort: ascending }, scope, position);
}

/** The time of a position. `source`: the parameter or header that has it, for the error. */
export function requirePosition(workspaceId: string, position: string, source = '"after"'): Micros {
  const at = timeOfChange(workspaceId, position);
  if (at !== undefined) return at;
  throw new ApiError(
    'invalid_parameter',
    `${source} must be now, or the pagination.position or the id of a change of this workspace.`,
  );
}

export const expired = (): ApiError =>
  new ApiError(
    'position_expired',
    'Changes after this position are not stored, or no longer. Start over: request after=now, read the lists, then continue at ' +
      'the position of the first response.',
  );
