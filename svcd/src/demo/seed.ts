import { randomBytes } from 'node:crypto';
import { bootstrap, createDashboardAuth } from '@svc/service/dashboard';
import { inTransaction } from '@svc/service/database/pool';
import { statement } from '@svc/service/database/statement';
import { insertRecords } from '@svc/service/records/insert';
import { RESOURCES } from '@svc/service/resources/index';
import type pg from 'pg';
import type { Logger } from 'pino';
import { demoRecords } from './records.ts';

export const DEMO_EMAIL = 'demo@example.com';
const DEMO_WORKSPACE = 'Demo (made-up data)';
const PASSWORD_BYTES = 24;

export interface DemoWorkspace {
  readonly workspaceId: string;
  readonly userId: string;
}

export interface SeedOptions {
  readonly pool: pg.Pool;
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly log: Logger;
  readonly nowMs: number;
}

const selectAnyCompany = statement('any_company', 'request')`
  select 1 from companies where workspace_id = $1 limit 1`;

/** Returns the demo's workspace. Creates it, its owner and its records if they do not exist. */
export async function seedDemo(options: SeedOptions): Promise<DemoWorkspace> {
  const { pool, nowMs } = options;
  const workspace = (await findWorkspace(pool)) ?? (await createDemoWorkspace(options));
  await inTransaction(pool, async (client) => {
    // The first run may have been stopped before it wrote the records.
    const { rowCount } = await client.query(selectAnyCompany(workspace.workspaceId));
    if (rowCount !== 0) return;
    for (const [name, inputs] of Object.entries(demoRecords(nowMs))) {
      const resource = RESOURCES.find((one) => one.name === name);
      if (resource === undefined) throw new Error(`There is no resource ${name}.`);
      const { inserted } = await insertRecords(client, workspace.workspaceId, resource, inputs);
      if (inserted.length !== inputs.length) throw new Error(`The demo's ${name} are not all valid.`);
    }
  });
  return workspace;
}

const selectDemoWorkspace = statement('demo_workspace', 'request')`
  select m.workspace_id as "workspaceId", u.id as "userId" from users u join members m on m.user_id = u.id
  where u.email = $1 order by m.created_at, m.workspace_id limit 1`;

async function findWorkspace(pool: pg.Pool): Promise<DemoWorkspace | undefined> {
  const { rows } = await pool.query<DemoWorkspace>(selectDemoWorkspace(DEMO_EMAIL));
  return rows[0];
}

/** The owner signs in with a link. The password is random and not shown. */
function createDemoWorkspace({ pool, secrets, publicUrl, log }: SeedOptions): Promise<DemoWorkspace> {
  return bootstrap({
    pool,
    auth: createDashboardAuth({ pool, secrets, publicUrl, log }),
    email: DEMO_EMAIL,
    password: randomBytes(PASSWORD_BYTES).toString('base64url'),
    workspaceName: DEMO_WORKSPACE,
  });
}
