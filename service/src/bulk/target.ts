import type pg from 'pg';
import type { ActorContext } from '../audit-log/actor.ts';
import { OperatorError } from '../config/operator-error.ts';
import type { Connections } from '../database/lane.ts';
import type { Resource } from '../resources/define.ts';

/** Records of one resource in one workspace: where an import goes, and an export comes from. */
export interface Target {
  readonly pool: Connections;
  readonly workspaceId: string;
  readonly resource: Resource;
}

/** An import as the audit log names it. */
export interface ImportTarget extends Target {
  readonly by: ActorContext;
  /** Runs first in each transaction; throws when the person must not import any more. */
  readonly confirm?: (client: pg.ClientBase) => Promise<unknown>;
  readonly importId: string;
  readonly fileName: string | null;
  readonly patient?: boolean;
}

export async function requireWorkspace({ pool, workspaceId }: Target): Promise<void> {
  const { rowCount } = await pool.query('select 1 from workspaces where id = $1', [workspaceId]);
  if (rowCount === 0) throw new OperatorError(`There is no workspace ${JSON.stringify(workspaceId)}.`);
}
