import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { LISTS } from '../harness/lists.ts';
import { createTestService, type TestService } from '../harness/service.ts';
import { seedWorkspace } from '../harness/world.ts';

/** Nothing listens there. */
const CLOSED_PORT = 1;
const STATEMENT_TIMEOUT_MS = 50;

let service: TestService;
let workspaceId: string;
let sandbox: string;
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  await seedWorkspace(service, workspaceId);
  sandbox = await service.token(workspaceId, { mode: 'test' });
});

async function serviceOver(config: pg.PoolConfig): Promise<TestService> {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  onFileEnd(() => pool.end());
  return createTestService({ database: service.database, pool });
}

describe('when the database cannot be reached', () => {
  let node: TestService;
  beforeAll(async () => {
    node = await serviceOver({ host: '127.0.0.1', port: CLOSED_PORT });
  });

  test.each([...LISTS.map(({ path }) => path), '/v1/audits/x', '/v1/audits/count', '/v1/nothing'])(
    '%s is 503 with Retry-After in the envelope, and shows nothing internal',
    async (path) => {
      const answer = await node.request(sandbox, path);
      expectFailure(answer, 'unavailable');
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.text).not.toMatch(/ECONN|127|postgres|pool/i);
    },
  );

  test('requests that need no database get their usual response: malformed tokens, the URL, health', async () => {
    for (const token of [null, 'malformed'])
      expectFailure(await node.request(token, '/v1/audits'), 'invalid_key');
    expectFailure(await node.request(null, `/v1/audits?x=${sandbox}`), 'invalid_parameter');
    expect((await node.request(null, '/healthz')).status).toBe(200);
    expectFailure(await node.request(null, '/readyz'), 'unavailable');
    expectFailure(await node.request(null, '/nothing'), 'not_found');
  });

  test('a request with a key is authenticated before its URL is refused, so it gets 503', async () => {
    expectFailure(await node.request(sandbox, `/v1/audits?x=${sandbox}`), 'unavailable');
  });

  test('an unknown key gets 503 too: without the database it is neither accepted nor refused', async () => {
    expectFailure(await node.request(`svc_live_${'a'.repeat(32)}`, '/v1/audits'), 'unavailable');
  });
});

describe('when the database stops and starts again', () => {
  test('a remembered key gets 503 and no data until the database is back; then the service continues by itself', async () => {
    const database = await createTestService();
    const node = database;
    const id = await node.workspace();
    const token = await node.token(id);
    expect((await node.request(token, '/v1/audits')).status).toBe(200);
    const { rows } = await node.pool.query<{ name: string }>('select current_database() as name');
    const name = rows[0]?.name ?? '';
    const admin = new pg.Client({ connectionString: service.database.url });
    await admin.connect();
    try {
      await admin.query(`alter database ${name} with allow_connections false`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      for (const _ of [1, 2]) {
        const answer = await node.request(token, '/v1/audits');
        expectFailure(answer, 'unavailable');
      }
      expectFailure(await node.request(null, '/readyz'), 'unavailable');
      await admin.query(`alter database ${name} with allow_connections true`);
      expect((await node.request(token, '/v1/audits')).status).toBe(200);
      expect((await node.request(null, '/readyz')).status).toBe(200);
    } finally {
      await admin.end();
    }
  });
});

describe('when a statement takes too long', () => {
  test('the response is 503, and the next request succeeds', async () => {
    const node = await serviceOver({
      connectionString: service.database.url,
      options: `-c TimeZone=UTC -c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
    });
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table audits, record_counts in access exclusive mode');
      for (const path of ['/v1/audits', '/v1/audits/x', '/v1/audits/count']) {
        const answer = await node.request(sandbox, path);
        expectFailure(answer, 'unavailable');
        expect(answer.headers['retry-after']).toBe('1');
      }
      await holder.query('rollback');
    } finally {
      holder.release();
    }
    expect((await node.request(sandbox, '/v1/audits')).status).toBe(200);
  });

  test('/readyz responds at once while requests that wait for a lock have all connections for reads', async () => {
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table workspaces in access exclusive mode');
      const tokens = [...'abcdef'].map((letter) => `svc_live_${letter.repeat(32)}`);
      const waiting = Promise.all(tokens.map((token) => service.request(token, '/v1/audits')));
      await expect
        .poll(async () => (await service.request(null, '/metrics')).text)
        .toMatch(/svc_database_waiting_requests\{lane="reads"\} [1-9]/);
      expect((await service.request(null, '/readyz')).status).toBe(200);
      await holder.query('rollback');
      await waiting;
    } finally {
      holder.release();
    }
  });

  test('a live request whose entry cannot be written in time is 503 without its data', async () => {
    const node = await serviceOver({
      connectionString: service.database.url,
      options: `-c TimeZone=UTC -c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
    });
    const live = await service.token(workspaceId);
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
      const answer = await node.request(live, '/v1/companies');
      expectFailure(answer, 'unavailable');
      expect(answer.text).not.toContain('com_');
      await holder.query('rollback');
    } finally {
      holder.release();
    }
    expect((await node.request(live, '/v1/companies')).status).toBe(200);
  });
});
