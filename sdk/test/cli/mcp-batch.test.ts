import { createTestService } from '@svc/service/harness/service.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { expect, test } from 'vitest';
import { connectMcp } from './mcp-client.ts';

const service = await createTestService();
const address = await listen(service);

/** A client of a new workspace, whose key may write. */
async function connect(mode: 'live' | 'test') {
  const key = await service.token(await service.workspace(), { mode, access: 'write' });
  const env = { PATH: String(process.env['PATH']), SVC_API_KEY: key, SVC_BASE_URL: address };
  return connectMcp(env, ['--allow-writes']);
}

test('with a test key, a batch tries writes that depend on each other, and none of them is kept', async () => {
  const { client, call } = await connect('test');
  expect(client.getInstructions()).toContain('run_batch');
  const audit = { companyId: 'agent-first', headlineScore: 70, completedAt: '2026-03-01T09:30:00Z' };
  const alone = await call('create_audit', audit);
  expect(alone.value.error?.code).toBe('invalid_body');
  const { value, texts, failed } = await call('run_batch', {
    operations: [
      { method: 'PUT', path: '/v1/companies/agent-first', body: { name: 'First' } },
      { method: 'POST', path: '/v1/audits', body: audit },
    ],
  });
  expect([failed, value.data]).toMatchObject([
    false,
    [
      { status: 201, body: { id: 'agent-first', name: 'First' } },
      { status: 201, body: { companyId: 'agent-first', headlineScore: 70 } },
    ],
  ]);
  expect(texts[1]).toContain('dry run');
  expect((await call('get_company', { id: 'agent-first' })).value.error?.code).toBe('not_found');
});

test('with a live key, a batch is carried out as a whole, and its result is short however long the records are', async () => {
  const { call } = await connect('live');
  const company = { method: 'PUT', path: '/v1/companies/agent-long', body: { name: 'Long' } };
  const mention = {
    ...{ companyId: 'agent-long', source: 'web', url: 'https://long.example/', title: 'Long' },
    ...{ excerpt: 'x'.repeat(5_000), sentiment: 'neutral', publishedAt: '2026-03-01T09:30:00Z' },
  };
  const items = Array.from({ length: 20 }, () => ({ method: 'POST', path: '/v1/mentions', body: mention }));
  const broken = { method: 'PATCH', path: '/v1/companies/agent-long', body: { title: 'none' } };
  const refused = await call('run_batch', { operations: [company, broken] });
  expect(refused.value.error?.message).toContain('/operations/1');
  expect((await call('run_batch')).value.error?.code).toBe('invalid_body');
  expect((await call('get_company', { id: 'agent-long' })).value.error?.code).toBe('not_found');
  const { failed, value } = await call('run_batch', { operations: [company, ...items] });
  expect([failed, value.data?.length]).toEqual([false, 21]);
  expect(value.data?.[0]).toEqual({ status: 201, body: { id: 'agent-long' } });
  expect((await call('list_mentions', { fields: 'id', limit: 100 })).value.data).toHaveLength(20);
});
