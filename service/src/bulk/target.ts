import type { Connections } from '@svc/turns/lane';
import type pg from 'pg';
import type { ActorContext } from '../audit-log/actor.ts';
import { statement } from '../database/statement.ts';
import type { InsertResult } from '../records/insert.ts';
import type { Replacement } from '../records/replace.ts';
import type { Resource } from '../resources/define.ts';

/** Why a file cannot be imported or exported at all. The message is for the person who asked for it. */
export class BulkError extends Error {
  override readonly name = 'BulkError';
}

/** The records of one resource in one workspace: the target of an import, the source of an export. */
export interface BulkTarget {
  readonly pool: Connections;
  readonly workspaceId: string;
  readonly resource: Resource;
}

/** The target of one import, and how the import writes to it. */
export interface ImportTarget extends BulkTarget {
  readonly importId: string;
  /** The actor for the audit log. */
  readonly by: ActorContext;
  /** The name of the file for the audit log. Default: none. */
  readonly fileName?: string;
  /** Runs first in each transaction; throws if the person is no longer allowed to import. Default: no check. */
  readonly confirm?: (client: pg.ClientBase) => Promise<unknown>;
  /** Whether records whose id exists are replaced. Default: they stay as they are. */
  readonly replace?: boolean;
  /**
   * Whether transactions wait for other writers without a time limit, for commands with their own pool. Default: false,
   * with the timeouts of the connections.
   */
  readonly patient?: boolean;
}

/** The result of a batch. Each input is in exactly one of the lists, or in `replacement.refused`. */
export interface BatchResult extends Omit<InsertResult, 'inserted'> {
  readonly inserted: readonly unknown[];
  readonly replacement?: Replacement;
}

const selectWorkspace = statement('workspace_exists', 'request')`select 1 from workspaces where id = $1`;

/** Throws BulkError if the workspace does not exist. */
export async function requireWorkspace({ pool, workspaceId }: BulkTarget): Promise<void> {
  const { rowCount } = await pool.query(selectWorkspace(workspaceId));
  if (rowCount === 0) throw new BulkError(`There is no workspace ${JSON.stringify(workspaceId)}.`);
}
