import type { Count } from '@svc/sdk';
import { isId } from '@svc/sdk/contract';
import type { Queryable, Shares } from '../database/lane.ts';
import { lookUp } from '../database/look-up.ts';
import { preparedStatement, preparedStatements } from '../database/statement.ts';
import { strongEtag } from '../http/etag.ts';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { WHOLE_WORKSPACE } from './counters.ts';

/** The wire JSON of one record, and its strong ETag: the same bytes have the same tag. */
export interface RecordAnswer {
  readonly doc: string;
  readonly etag: string;
}

const selectRecord = preparedStatements('record', 'request');

/** Reads a record by its id. Undefined: there is none in the scope, which may be limited to one company. */
export async function readRecord(
  connections: Queryable,
  { list }: Resource,
  scope: Scope,
  id: string,
): Promise<RecordAnswer | undefined> {
  if (!isId(id)) return undefined;
  const limited = scope.companyId !== null && list.companyColumn !== null;
  const select = selectRecord(
    `record_${list.relation}${limited ? '_of_company' : ''}`,
    lookUp({
      select: 'doc',
      from: list.relation,
      ...(limited ? { and: `${list.companyColumn} = $3` } : {}),
    }),
  );
  const { rows } = await connections.query<{ doc: string }>(
    limited ? select(scope.workspaceId, id, scope.companyId) : select(scope.workspaceId, id),
  );
  const [row] = rows;
  return row === undefined ? undefined : { doc: row.doc, etag: strongEtag(row.doc) };
}

export interface CountReader {
  readonly reads: Shares;
  /** Connections for statements whose time grows with the number of records. */
  readonly slow: Shares;
}

/**
 * Counts the records of a resource (specification, 4.3). An approximate count is the stored counter; an exact one
 * counts the rows.
 */
export async function readCount(
  { reads, slow }: CountReader,
  resource: Resource,
  scope: Scope,
  approximate: boolean,
): Promise<Count> {
  const count = approximate
    ? await storedCount(reads.of(scope.workspaceId), resource, scope)
    : await exactCount(slow.of(scope.workspaceId), resource, scope);
  return { count, approximate };
}

const selectCount = preparedStatement('stored_count', 'request')`
  select records from record_counts where workspace_id = $1 and resource = $2 and company_id = $3`;

async function storedCount(
  connections: Queryable,
  { name }: Resource,
  { workspaceId, companyId }: Scope,
): Promise<number> {
  const { rows } = await connections.query<{ records: number }>(
    selectCount(workspaceId, name, companyId ?? WHOLE_WORKSPACE),
  );
  return rows[0]?.records ?? 0;
}

async function exactCount(
  connections: Queryable,
  { list }: Resource,
  { workspaceId, companyId }: Scope,
): Promise<number> {
  const limited = companyId !== null && list.companyColumn !== null;
  const { rows } = await connections.query<{ records: number }>(
    `select count(*) as records from ${list.relation} where workspace_id = $1${limited ? ` and ${list.companyColumn} = $2` : ''}`,
    limited ? [workspaceId, companyId] : [workspaceId],
  );
  return rows[0]?.records ?? 0;
}
