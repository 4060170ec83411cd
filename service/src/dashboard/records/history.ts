import { type Micros, microsOfTime, timeOfMicros } from '@svc/exact-times/micros';
import { isId, recordEventTypes } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import { readPage } from '../../api/reads.ts';
import { searchHistory } from '../../changes/history.ts';
import { changeIdOf, placeOf } from '../../changes/id.ts';
import type { Start } from '../../changes/rows.ts';
import { lookUp } from '../../database/look-up.ts';
import { statements } from '../../database/statement.ts';
import { microseconds } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import { JSON_UTF8 } from '../../http/json-type.ts';
import type { KeysetRead, KeysetRow, ListDefinition } from '../../list/definition.ts';
import { DOC_SEPARATOR } from '../../list/definition.ts';
import { columnName, type Resource } from '../../resources/define.ts';
import { changes } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import type { RecordChange } from '../wire.ts';
import { resourceOf } from './data.ts';
import { entriesOf } from './record-entries.ts';

interface Route {
  Querystring: Record<string, unknown>;
  Params: { resource: string; recordId: string };
}

/**
 * The history of a record, for every member: its changes in the feed, newest first, each with its entry in the audit log.
 * A page reads a bounded part of the feed, then its cursor continues (docs/decisions/0026).
 */
export function registerHistory(
  api: FastifyInstance,
  { sessions, reader }: Pick<DashboardContext, 'sessions' | 'reader'>,
): void {
  api.get<Route>('/workspaces/:workspaceId/data/:resource/:recordId/history', async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const resource = resourceOf(request.params);
    const { recordId } = request.params;
    if (!isId(recordId)) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
    const scope = { workspaceId, companyId: null };
    const page = await readPage(reader, historyOf(resource, recordId), request.query, scope);
    return reply.type(JSON_UTF8).send(page.body());
  });
}

/** The list of the changes of one record. Its name has the record, so a cursor is of one record only. */
const historyOf = (resource: Resource, recordId: string): ListDefinition => ({
  ...changes.list,
  name: `history of ${resource.name}/${recordId}`,
  sortable: false,
  filters: {},
  parameters: [],
  read: (connections, read) => readHistory(connections, resource, recordId, read),
});

async function readHistory(
  connections: Queryable,
  resource: Resource,
  recordId: string,
  { workspaceId, direction, position, limit }: KeysetRead,
): Promise<KeysetRow> {
  if (direction !== 'forward') {
    throw new ApiError(
      'invalid_parameter',
      '"direction" must be forward: a history is read from newer to older changes.',
    );
  }
  const search = { workspaceId, recordId, types: recordEventTypes([resource]), limit: limit + 1 };
  const start = startOf(position) ?? (await lastChangeOf(connections, resource, search));
  const found = await searchHistory(connections, { ...search, start });
  const shown = found.changes.slice(0, limit);
  const entries = await entriesOf(connections, workspaceId, resource.name, recordId, shown);
  const docs = found.changes.map((change) => {
    const item: RecordChange = {
      id: changeIdOf(workspaceId, change.at),
      type: change.type,
      createdAt: timeOfMicros(change.at),
      ...(change.changed === undefined ? {} : { changed: change.changed }),
      entry: entries.get(change.at) ?? null,
    };
    return JSON.stringify(item);
  });
  const [first_key, first_id] = placeOf(workspaceId, shown[0]?.at);
  const [last_key, last_id] = placeOf(workspaceId, shown.at(-1)?.at);
  const [searched_key, searched_id] = placeOf(workspaceId, found.searchedTo);
  const ends = { first_key, first_id, last_key, last_id, searched_key, searched_id };
  return {
    docs: docs.length === 0 ? null : docs.join(DOC_SEPARATOR),
    rows: docs.length,
    ...ends,
    total: null,
    stopped: found.stopped,
  };
}

function startOf(position: KeysetRead['position']): Start | undefined {
  return position && { at: microsOfTime(position.key), inclusive: position.side === 'before' };
}

const selectTimes = statements('time_of_last_change', 'request');

/**
 * The last change of a record, if its own times say when it was. Undefined: they do not, for example because an import has
 * brought them. Then the search begins at the newest change.
 */
async function lastChangeOf(
  connections: Queryable,
  { fields, immutable, list: { relation } }: Resource,
  search: { readonly workspaceId: string; readonly recordId: string; readonly types: readonly string[] },
): Promise<Start | undefined> {
  const field = 'updatedAt' in fields ? 'updatedAt' : immutable ? 'createdAt' : undefined;
  if (field === undefined) return undefined;
  const select = `${microseconds(columnName(field))} as at`;
  const { rows } = await connections.query<{ at: Micros }>(
    selectTimes(`time_of_last_change_${relation}`, lookUp({ select, from: relation }))(
      search.workspaceId,
      search.recordId,
    ),
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const start = { at: row.at, inclusive: true };
  const { changes: found } = await searchHistory(connections, { ...search, start, limit: 1, rows: 1 });
  return found[0]?.at === row.at ? start : undefined;
}
