import { splitHosts } from '@svc/postgres-hosts';
import { askConsole } from '@svc/postgres-sessions';
import type { Config } from '@svc/service/config/config';
import { explain } from '../explain.ts';
import { withPool } from '../pool.ts';
import { type Finding, fail, ok } from './check.ts';

/** Checks the pooler of requests. Fails as the start of the service does, with the SQL of settings that the role lacks. */
export async function checkPooler({ databaseUrl = '', databasePooler }: Config): Promise<readonly Finding[]> {
  if (databasePooler === 'none') return [];
  const options = { url: databaseUrl, pooled: true, max: 1, name: 'svcd doctor' };
  try {
    await withPool(options, async (pool) => (await pool.connect()).release());
    const found = await askConsole(splitHosts(databaseUrl)[0] ?? databaseUrl);
    const version = found?.version ?? 'a pooler that does not tell its version (stats_users)';
    return [ok('pooler', `${version}, prepared statements work, and the role has all settings`)];
  } catch (error) {
    return [fail('pooler', explain(error).text, 'see docs/pgbouncer.md')];
  }
}
