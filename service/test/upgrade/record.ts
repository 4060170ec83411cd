import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { totpCode } from '../harness/totp.ts';
import {
  RECORDED_EMAIL,
  RECORDED_PASSWORD,
  type Recorded,
  type RecordedKey,
  type RecordedPages,
  type Row,
} from './recorded.ts';

// Records what a release keeps in its database and how it answers, for the test of upgrades:
//
//   SVC_SECRET='the secret of a release that was recorded' svcd start      (that release, on an empty database)
//   echo 'the password of a release' | svcd bootstrap --email owner@example.com --workspace Test --json
//   node service/test/upgrade/record.ts <url> <database url> <workspace id> <file>
//
// The keys and codes in the file are of that database, which is gone: they open nothing.

const COMPANIES = 3;
const AUDITS = 24;
const OTHERS = 6;
const PAGE = 5;
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
] as const;
const LISTS = [
  '/v1/audits',
  '/v1/audits?sort=score-descending',
  '/v1/audits?companyId=com_2',
  '/v1/companies',
  '/v1/mentions',
  '/v1/content?status=draft',
] as const;

const [url = '', databaseUrl = '', workspaceId = '', file = ''] = process.argv.slice(2);
const cookies = new Map<string, string>();

async function ask<T>(path: string, headers: Record<string, string>, body?: unknown): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  for (const cookie of answer.headers.getSetCookie()) {
    const [name = '', value = ''] = cookie.split(';', 1)[0]?.split(/=(.*)/) ?? [];
    cookies.set(name, value);
  }
  return (await answer.json()) as T;
}

const dashboard = <T>(path: string, body: unknown = {}): Promise<T> =>
  ask(
    `/dashboard/api${path}`,
    {
      origin: url,
      'idempotency-key': randomUUID(),
      cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
    },
    body,
  );

const v1 = <T>(token: string, path: string, body?: unknown): Promise<T> =>
  ask(path, { authorization: `Bearer ${token}` }, body);

async function createKey(key: Record<string, unknown>): Promise<{ token: string; key: { id: string } }> {
  return dashboard(`/workspaces/${workspaceId}/keys`, { name: 'test', companyId: null, ...key });
}

function splitToken(token: string): RecordedKey {
  const [, mode = '', secret = ''] = /^svc_([a-z]+)_(.+)$/.exec(token) ?? [];
  return { mode, secret };
}

async function writeRecords(token: string): Promise<void> {
  const at = (day: number): string => `2026-03-${String(day + 1).padStart(2, '0')}T09:30:00Z`;
  const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
  const companyId = (index: number): string => `com_${(index % COMPANIES) + 1}`;
  const batches: Record<string, unknown[]> = {
    companies: range(COMPANIES).map((n) => ({ id: companyId(n), name: `Company ${n}`, domain: null })),
    audits: range(AUDITS).map((n) => ({
      companyId: companyId(n),
      headlineScore: (n * 37) % 101,
      completedAt: at(n),
    })),
    mentions: range(OTHERS).map((n) => ({
      companyId: companyId(n),
      source: 'Example News',
      url: `https://news.example/${n}`,
      title: `Titel ${n} – ä`,
      excerpt: '"quoted"',
      sentiment: 'neutral',
      publishedAt: at(n),
    })),
    content: range(OTHERS).map((n) => ({ companyId: companyId(n), title: `Item ${n}`, status: 'draft' })),
  };
  for (const [name, data] of Object.entries(batches)) await v1(token, `/v1/${name}/batch`, { data });
}

async function readPages(token: string, path: string): Promise<RecordedPages> {
  const separator = path.includes('?') ? '&' : '?';
  type Page = { data: unknown[]; pagination: { nextCursor: string | null } };
  const first = await v1<Page>(token, `${path}${separator}limit=${PAGE}`);
  const cursor = first.pagination.nextCursor;
  if (cursor === null) return { path, first: first.data };
  const next = await v1<Page>(token, `${path}${separator}limit=${PAGE}&cursor=${cursor}`);
  return { path, first: first.data, cursor, next: next.data };
}

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
await dashboard('/auth/sign-in/email', { email: RECORDED_EMAIL, password: RECORDED_PASSWORD });
const write = await createKey({ mode: 'live', access: 'write' });
await writeRecords(write.token);
const live = await createKey({ mode: 'live', access: 'read' });
const testKey = await createKey({ mode: 'test', access: 'read' });
const limited = await createKey({ mode: 'live', access: 'read', companyId: 'com_2' });
const revoked = await createKey({ mode: 'live', access: 'read' });
await dashboard(`/workspaces/${workspaceId}/keys/${revoked.key.id}/revoke`);
const pages: RecordedPages[] = [];
for (const path of LISTS) pages.push(await readPages(live.token, path));
const factor = await dashboard<{ totpURI: string; backupCodes: string[] }>('/auth/two-factor/enable', {
  password: RECORDED_PASSWORD,
});
await dashboard('/auth/two-factor/verify-totp', { code: totpCode(factor.totpURI) });
const recorded: Recorded = {
  recordedAt: Date.now(),
  workspaceId,
  session: Object.fromEntries([...cookies].filter(([name]) => name.endsWith('session_token'))),
  keys: {
    live: splitToken(live.token),
    write: splitToken(write.token),
    test: splitToken(testKey.token),
    limited: splitToken(limited.token),
    revoked: splitToken(revoked.token),
  },
  totpUri: factor.totpURI,
  backupCodes: factor.backupCodes,
  pages,
  tables: await readTables(client),
};
await client.end();
await writeFile(file, `${JSON.stringify(recorded)}\n`);
