import { askHosts, splitHosts } from '@svc/postgres-hosts';
import { takeOptions } from '@svc/postgres-sessions';
import { statement } from '@svc/service/database/statement';
import { withPool } from '../pool.ts';
import { type Finding, fail, ok, warn } from './check.ts';

const GUIDE = 'see docs/high-availability.md';

/** Checks the hosts of a database URL with several hosts, and whether commits wait for a standby. Otherwise: nothing. */
export async function checkHosts(databaseUrl: string | undefined): Promise<readonly Finding[]> {
  const urls = databaseUrl === undefined ? [] : splitHosts(takeOptions(databaseUrl).url);
  if (databaseUrl === undefined || urls.length < 2) return [];
  const hosts = await askHosts(urls);
  const text = hosts
    .map(({ name, role, error }) => (role === undefined ? error?.message : `${name} is the ${role}`))
    .map((sentence) => sentence?.replace('is the standby', 'is a standby'))
    .join('; ');
  const primaries = hosts.filter(({ role }) => role === 'primary');
  if (primaries.length === 0) return [fail('hosts', text, `make one of them the primary; ${GUIDE}`)];
  if (primaries.length > 1)
    return [fail('hosts', text, 'name only the hosts of one cluster: one is the primary')];
  const found = hosts.every(({ role }) => role !== undefined)
    ? ok('hosts', text)
    : warn('hosts', text, 'start the host that does not answer, or correct the URL');
  return [found, await checkReplication(databaseUrl)];
}

const selectReplication = statement('replication_settings', 'control')`
  select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as level`;

async function checkReplication(url: string): Promise<Finding> {
  const { rows } = await withPool({ url, max: 1, name: 'svcd doctor' }, (pool) =>
    pool.query<{ names: string; level: string }>(selectReplication()),
  );
  const { names = '', level = '' } = rows[0] ?? {};
  if (names === '')
    return warn(
      'replication',
      'commits do not wait for a standby: a failover may lose the last ones',
      `set synchronous_standby_names; ${GUIDE}`,
    );
  if (level === 'local')
    return warn(
      'replication',
      'synchronous_commit is local: a failover may lose the last commits',
      `set it to on; ${GUIDE}`,
    );
  return ok('replication', `commits wait for ${names}`);
}
