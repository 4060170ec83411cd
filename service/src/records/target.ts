import type pg from 'pg';
import type { Resource } from '../declaration/resource.ts';
import { OperatorError } from '../operator-error.ts';

/** Records of one resource in one workspace: where an import goes, and an export comes from. */
export interface Target {
  readonly pool: pg.Pool;
  readonly workspaceId: string;
  readonly resource: Resource;
  /** E-mail of the person who imports, for the audit log. Default: nobody's, the operator does. */
  readonly actor?: string;
}

export async function requireWorkspace({ pool, workspaceId }: Target): Promise<void> {
  const { rowCount } = await pool.query('select 1 from workspaces where id = $1', [workspaceId]);
  if (rowCount === 0) throw new OperatorError(`There is no workspace ${JSON.stringify(workspaceId)}.`);
}
