import type pg from 'pg';
import { OPERATOR } from '../../audit-log/actor.ts';
import { OperatorError } from '../../config/errors.ts';
import { pagesOf } from '../../database/pages.ts';
import { inTransaction } from '../../database/pool.ts';
import { statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { lockMembers } from '../people/accounts.ts';
import { REMOVED_AT, restoreWorkspace } from './deletion.ts';

/** What the operator does with workspaces, through `svcd`. The log names no actor. */

export interface ListedWorkspace {
  readonly id: string;
  readonly name: string;
  /** When an owner deleted it. Null: it is not deleted. */
  readonly deletedAt: string | null;
  /** From when on its data is removed. Null: it is not deleted. */
  readonly removedAt: string | null;
}

const PAGE_ROWS = 1_000;
const LISTED = `w.id, w.name, ${utc('w.deleted_at')} as "deletedAt", ${REMOVED_AT} as "removedAt"`;

const selectWorkspaces = statement('list_workspaces', 'bulk')`
  select ${LISTED} from workspaces w where w.id > $1 and ($2 is false or w.deleted_at is not null) order by w.id limit $3`;
const selectWorkspace = statement('find_workspace', 'request')`
  select ${LISTED} from workspaces w where w.id = $1`;

/** The workspaces by id: all, or only those that are deleted and whose data is still stored. */
export async function* listWorkspaces(
  pool: pg.Pool,
  deleted: boolean,
): AsyncGenerator<ListedWorkspace, void> {
  const pages = pagesOf<ListedWorkspace>(PAGE_ROWS, (last) =>
    pool.query(selectWorkspaces(last?.id ?? '', deleted, PAGE_ROWS)),
  );
  for await (const rows of pages) yield* rows;
}

/** Restores a deleted workspace; returns its name. Throws OperatorError with the reason if that is not possible. */
export const restoreDeletedWorkspace = (pool: pg.Pool, workspaceId: string): Promise<string> =>
  inTransaction(pool, async (client) => {
    await lockMembers(client, workspaceId);
    const { rows } = await client.query<ListedWorkspace>(selectWorkspace(workspaceId));
    const [found] = rows;
    if (found === undefined) {
      throw new OperatorError(
        `there is no workspace ${workspaceId}. If it was deleted, its data has been removed. ` +
          'svcd workspace list --deleted prints those that can be restored.',
      );
    }
    const { name, removedAt } = found;
    if (removedAt === null)
      throw new OperatorError(`the workspace ${workspaceId} (${JSON.stringify(name)}) is not deleted.`);
    if (!(await restoreWorkspace(client, workspaceId, OPERATOR))) {
      throw new OperatorError(
        `the workspace ${workspaceId} (${JSON.stringify(name)}) can no longer be restored: its data is being removed ` +
          `since ${removedAt}.`,
      );
    }
    return name;
  });
