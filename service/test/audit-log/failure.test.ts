import { beforeAll, describe, expect, test } from 'vitest';
import { ensurePartitions, listPartitions } from '../../src/audit-log/partitions.ts';
import { expectFailure } from '../harness/answers.ts';
import { LISTS } from '../harness/lists.ts';
import { createTestService, type TestService } from '../harness/service.ts';
import { seedRow, seedWorkspace } from '../harness/world.ts';

let service: TestService;
let workspaceId: string;
let live: string;
let sandbox: string;
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  await seedWorkspace(service, workspaceId);
  live = await service.token(workspaceId);
  sandbox = await service.token(workspaceId, { mode: 'test' });
  expect((await service.request(live, '/v1/audits')).status).toBe(200);
  // Drops every month, so that no entry can be written.
  for (const { name } of await listPartitions(service.pool)) await service.pool.query(`drop table ${name}`);
});

const URLS = LISTS.flatMap((list) => [
  list.path,
  `${list.path}/${seedRow(list, 1).id}`,
  `${list.path}?limit=0`,
]);

describe('when the audit log cannot be written', () => {
  test.each([...URLS, '/v1/audits/count', '/v1/nothing'])(
    'a live key gets 503 and nothing else from %s',
    async (url) => {
      for (const headers of [{}, { 'if-none-match': '*' }]) {
        const answer = await service.request(live, url, { headers });
        expectFailure(answer, 'unavailable');
        expect(answer.headers['retry-after']).toBe('1');
        for (const name of ['etag', 'location', 'allow', 'ratelimit'])
          expect(answer.headers).not.toHaveProperty(name);
        expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.text));
        expect(answer.text).not.toMatch(/seed|com_|partition|audit_log/);
      }
    },
  );

  test('HEAD and a method that is not allowed get 503 too', async () => {
    expect((await service.request(live, '/v1/audits', { method: 'HEAD' })).status).toBe(503);
    expectFailure(await service.request(live, '/v1/api-keys', { method: 'DELETE' }), 'unavailable');
  });

  test('nothing is counted: not the usage of the key, nor its last use, nor the live requests', async () => {
    const state = async () =>
      (
        await service.pool.query(
          `select (select jsonb_agg(u order by key_id) from key_usage u), (select jsonb_agg(k order by id) from api_keys k where mode = 'live'),
            (select jsonb_agg(m order by workspace_id) from live_meters m)`,
        )
      ).rows;
    const before = await state();
    await service.request(live, '/v1/audits');
    expect(await state()).toEqual(before);
  });

  test('the failure is logged for the operator', () => {
    const lines = service.log.filter((line) => line.includes('audit entry could not be written'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines[0]).toContain('audit_log');
  });

  test('a test key, which has no entries, can still read', async () => {
    const lists = LISTS.filter(({ name }) => name !== 'audit-log');
    for (const { path } of lists) expect((await service.request(sandbox, path)).status).toBe(200);
  });

  test('live keys work as soon as the log can be written again', async () => {
    await ensurePartitions(service.pool, Date.now());
    expect((await service.request(live, '/v1/audits')).status).toBe(200);
    const { rows } = await service.pool.query(
      `select count(*)::int as entries from audit_log where kind = 'api.request'`,
    );
    expect(rows).toEqual([{ entries: 1 }]);
  });
});
