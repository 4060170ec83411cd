import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { waitFor } from '@svc/embedded-postgres/testing';
import type { TestDatabase } from '@svc/service/harness/database.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect } from 'vitest';

export const MADE = /scheduled backup: backed up [\d,]+ rows of \d+ tables/;
export const FAILED = /the scheduled backup failed: /;
export const NAME = /^svc-\d{8}T\d{6}Z\.backup$/;

/** The settings of a service with this database, and a directory for its scheduled backups. */
export async function newDeployment(
  { url, pool }: TestDatabase,
  settings: Readonly<Record<string, string>> = {},
) {
  const directory = await temporaryDirectory();
  const env = {
    SVC_DATABASE_URL: url,
    SVC_SECRET: randomBytes(32).toString('base64url'),
    SVC_BACKUP_DIR: directory,
    ...settings,
  };
  const sessions = async () =>
    (
      await pool.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where application_name = 'svcd backup' and wait_event_type = 'Lock' and datname = current_database()`,
      )
    ).rows;
  return {
    env,
    directory,
    files: async () => (await readdir(directory)).sort(),
    /** Lets every backup wait in its middle until the returned function is called. */
    hold: async () => {
      const client = await pool.connect();
      await client.query('begin; set local idle_in_transaction_session_timeout = 0');
      await client.query('lock table imports in access exclusive mode');
      return async () => {
        await client.query('rollback');
        client.release();
      };
    },
    /** Resolves when a backup waits. */
    held: () => waitFor(async () => expect(await sessions()).toHaveLength(1)),
    /** Cuts the connection of the backup that waits. */
    cut: async () => {
      for (const { pid } of await sessions()) await pool.query('select pg_terminate_backend($1)', [pid]);
    },
  };
}
