import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { askAt } from './ask.ts';
import { fillRelease } from './fill.ts';
import type { RecordedDatabase, Row } from './recorded.ts';

// Records the database of a release and its responses, for the test of upgrades:
//
//   SVC_SECRET='the secret of a release that was recorded' svcd start      (that release, on an empty database)
//   echo 'the password of a release' | svcd bootstrap --email owner@example.com --workspace Test --json
//   node service/test/upgrade/record.ts <url> <database url> <workspace id> <file>
//
// The keys and codes in the file belong to that database. It no longer exists, so they are useless.

/** Parents before what refers to them. */
const TABLES = [
  'deployment_secrets',
  'workspaces',
  'workspace_clocks',
  'record_counts',
  'companies',
  'audits',
  'mentions',
  'content',
  'users',
  'accounts',
  'sessions',
  'second_factors',
  'members',
  'api_keys',
  'live_meters',
  'key_usage',
  'audit_log',
  'traffic',
  'usage_marks',
] as const;

const [url = '', databaseUrl = '', workspaceId = '', file = ''] = process.argv.slice(2);

async function readTables(client: pg.Client): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {};
  for (const table of [...TABLES, 'schema_migrations']) {
    const { rows } = await client.query<{ row: Row }>(`select to_json(t) as row from ${table} t`);
    tables[table] = rows.map(({ row }) => row);
  }
  return tables;
}

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const filled = await fillRelease(askAt(url), workspaceId);
const recorded: RecordedDatabase = { ...filled, tables: await readTables(client) };
await client.end();
await writeFile(file, `${JSON.stringify(recorded)}\n`);
