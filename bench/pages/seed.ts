import type pg from 'pg';
import { OPERATOR } from '../../service/src/audit-log/actor.ts';
import { unshared } from '../../service/src/database/lane.ts';
import { inTransaction } from '../../service/src/database/pool.ts';
import { createKeyStore } from '../../service/src/keys/store.ts';
import { createWorkspace } from '../../service/src/records/workspaces.ts';

export const WORKSPACES = 10;
const COMPANIES = 100;

export interface Seeded {
  readonly workspaceId: string;
  readonly token: string;
}

/** Creates ten workspaces with this many audits each. Returns the first one, with a live key. */
export async function seed(pool: pg.Pool, secret: string, auditsPerWorkspace: number): Promise<Seeded> {
  let first: string | undefined;
  for (let i = 0; i < WORKSPACES; i++) {
    const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, `bench ${i}`));
    first ??= workspaceId;
    await fill(pool, workspaceId, auditsPerWorkspace);
  }
  await pool.query('vacuum (analyze) audits');
  if (first === undefined) throw new Error('No workspace was made.');
  return { workspaceId: first, token: await issueKey(pool, secret, first) };
}

/** Creates a live key of the workspace that may read. Returns its token. */
export async function issueKey(pool: pg.Pool, secret: string, workspaceId: string): Promise<string> {
  const issued = await createKeyStore(unshared(pool), [secret]).create(
    workspaceId,
    { name: 'bench', mode: 'live', access: 'read', companyId: null },
    OPERATOR,
  );
  if (issued === 'no_company') throw new Error('The key was refused.');
  return issued.token;
}

async function fill(pool: pg.Pool, workspaceId: string, audits: number): Promise<void> {
  await pool.query(
    `insert into companies (workspace_id, id, name, created_at, doc)
     select $1, 'com_' || n, 'Company ' || n, now(), '{}' from generate_series(0, $2 - 1) n`,
    [workspaceId, COMPANIES],
  );
  await pool.query(
    `insert into audits (workspace_id, id, company_id, headline_score, completed_at, created_at, doc)
     select $1, id, company, score, at, at,
       format('{"id":"%s","companyId":"%s","headlineScore":%s,"completedAt":"%s"}', id, company, score,
         to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
     from (select 'aud_' || md5($1 || n) as id, 'com_' || n % $3 as company, n % 101 as score,
       timestamptz '2026-01-01' + n * interval '1 second' as at from generate_series(1, $2::int) n) audit`,
    [workspaceId, audits, COMPANIES],
  );
}
