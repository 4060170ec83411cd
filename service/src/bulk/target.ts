import type pg from 'pg';
import type { ActorContext } from '../audit-log/actor.ts';
import type { Connections } from '../database/lane.ts';
import type { Resource } from '../resources/define.ts';
import { BulkError } from './error.ts';

/** The records of one resource in one workspace: the target of an import, the source of an export. */
export interface BulkTarget {
  readonly pool: Connections;
  readonly workspaceId: string;
  readonly resource: Resource;
}

/** A running import, with what the audit log records of it. */
export interface ImportTarget extends BulkTarget {
  readonly by: ActorContext;
  /** Runs first in each transaction; throws if the person is no longer allowed to import. */
  readonly confirm?: (client: pg.ClientBase) => Promise<unknown>;
  readonly importId: string;
  readonly fileName: string | null;
  readonly patient?: boolean;
}

export async function requireWorkspace({ pool, workspaceId }: BulkTarget): Promise<void> {
  const { rowCount } = await pool.query('select 1 from workspaces where id = $1', [workspaceId]);
  if (rowCount === 0) throw new BulkError(`There is no workspace ${JSON.stringify(workspaceId)}.`);
}
