import type pg from 'pg';
import { OPERATOR } from '../../service/src/audit-log/actor.ts';
import { unshared } from '../../service/src/database/lane.ts';
import { inTransaction } from '../../service/src/database/pool.ts';
import { createKeyStore } from '../../service/src/keys/store.ts';
import { insertRecords } from '../../service/src/records/insert.ts';
import { createWorkspace } from '../../service/src/records/workspaces.ts';
import { audits, companies } from '../../service/src/resources/index.ts';

const COMPANIES = 100;
const AUDITS_PER_TRANSACTION = 1_000;
const COMPLETED_AT = '2026-03-01T09:30:00Z';

export interface Seeded {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly token: string;
}

/** The n-th audit as a client would send it, without an id. */
export const auditOf = (n: number) => ({
  companyId: `com_${n % COMPANIES}`,
  headlineScore: n % 101,
  completedAt: COMPLETED_AT,
});

export const auditsOf = (count: number): readonly ReturnType<typeof auditOf>[] =>
  Array.from({ length: count }, (_, n) => auditOf(n));

/** Creates a workspace with companies and audits, and a live key that may write. */
export async function seed(pool: pg.Pool, secret: string, count: number): Promise<Seeded> {
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'bench'));
  const names = Array.from({ length: COMPANIES }, (_, n) => ({ id: `com_${n}`, name: `Company ${n}` }));
  await inTransaction(pool, (client) => insertRecords(client, workspaceId, companies, names));
  for (let done = 0; done < count; done += AUDITS_PER_TRANSACTION) {
    const inputs = auditsOf(AUDITS_PER_TRANSACTION);
    await inTransaction(pool, (client) => insertRecords(client, workspaceId, audits, inputs));
  }
  await pool.query('vacuum (analyze) audits');
  const issued = await createKeyStore(unshared(pool), [secret]).create(
    workspaceId,
    { name: 'bench', mode: 'live', access: 'write', companyId: null },
    OPERATOR,
  );
  if (issued === 'no_company') throw new Error('The key was refused.');
  return { workspaceId, keyId: issued.key.id, token: issued.token };
}
