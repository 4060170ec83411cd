import type { Queryable } from '../database/lane.ts';
import { strongEtag } from '../http/etag.ts';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { isId } from '../resources/field.ts';

/** One record's wire JSON, and its strong ETag: the same bytes have the same tag. */
export interface RecordAnswer {
  readonly doc: string;
  readonly etag: string;
}

/** Reads a record by its id; undefined when the scope has none: another company's record does not exist for it. */
export async function readRecord(
  connections: Queryable,
  { list }: Resource,
  scope: Scope,
  id: string,
): Promise<RecordAnswer | undefined> {
  if (!isId(id)) return undefined;
  const limited = scope.companyId !== null && list.companyColumn !== null;
  const { rows } = await connections.query<{ doc: string }>({
    name: `record_${list.relation}${limited ? '_of_company' : ''}`,
    text: `select doc from ${list.relation} where workspace_id = $1 and id = $2${limited ? ` and ${list.companyColumn} = $3` : ''}`,
    values: limited ? [scope.workspaceId, id, scope.companyId] : [scope.workspaceId, id],
  });
  const [row] = rows;
  return row === undefined ? undefined : { doc: row.doc, etag: strongEtag(row.doc) };
}
