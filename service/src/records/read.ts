import { strongEtag } from '@svc/http-content/etag';
import type { Count } from '@svc/sdk';
import { isId } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import { lookUp } from '../database/look-up.ts';
import { type BoundStatement, preparedStatement, preparedStatements } from '../database/statement.ts';
import type { ListDefinition } from '../list/definition.ts';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { WHOLE_WORKSPACE } from './counters.ts';

/** The wire JSON of one record, and its strong ETag: the same bytes have the same tag. */
export interface RecordAnswer {
  readonly doc: string;
  readonly etag: string;
}

const recordStatement = preparedStatements('record', 'request');

/** The statement that reads a record of a list. `column`: a column whose value is a parameter too. */
function selectRecord({ relation, source = relation }: ListDefinition, column?: string): BoundStatement {
  const name = `record_${relation}${column === undefined ? '' : '_of_company'}`;
  const and = column === undefined ? {} : { and: `${column} = $3` };
  return recordStatement(name, lookUp({ select: 'doc', from: source, ...and }));
}

/** Reads a record by its id. Undefined: there is none in the scope, which may be limited to one company. */
export async function readRecord(
  connections: Queryable,
  { list }: Resource,
  scope: Scope,
  id: string,
): Promise<RecordAnswer | undefined> {
  if (!isId(id)) return undefined;
  const { workspaceId, companyId } = scope;
  const { rows } = await connections.query<{ doc: string }>(
    companyId === null || list.companyColumn === null
      ? selectRecord(list)(workspaceId, id)
      : selectRecord(list, list.companyColumn)(workspaceId, id, companyId),
  );
  const [row] = rows;
  return row === undefined ? undefined : { doc: row.doc, etag: strongEtag(row.doc) };
}

const selectCount = preparedStatement('stored_count', 'request')`
  select records from record_counts where workspace_id = $1 and resource = $2 and company_id = $3`;

/**
 * Counts the records of a resource (specification, 4.3): the stored counter, which each transaction updates with its
 * records. So an approximate count is exact too.
 */
export async function readCount(
  connections: Queryable,
  { name }: Resource,
  { workspaceId, companyId }: Scope,
  approximate: boolean,
): Promise<Count> {
  const { rows } = await connections.query<{ records: number }>(
    selectCount(workspaceId, name, companyId ?? WHOLE_WORKSPACE),
  );
  return { count: rows[0]?.records ?? 0, approximate };
}
