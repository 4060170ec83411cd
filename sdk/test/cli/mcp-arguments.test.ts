import { createTestService } from '@svc/service/harness/service.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { expect, test } from 'vitest';
import { connectMcp } from './mcp-client.ts';

const service = await createTestService();
const SVC_BASE_URL = await listen(service);
const SVC_API_KEY = await service.token(await service.workspace(), { mode: 'live', access: 'write' });
const { client, call } = await connectMcp({ PATH: String(process.env['PATH']), SVC_API_KEY, SVC_BASE_URL }, [
  '--allow-writes',
]);

test('each tool refuses an argument that it does not have, and names those that it has', async () => {
  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools) {
    const required = Object.fromEntries((inputSchema.required ?? []).map((argument) => [argument, 'none']));
    const { failed, value } = await call(name, { ...required, nope: 1 });
    expect({ name, failed, code: value.error?.code }).toEqual({ name, failed: true, code: 'invalid_call' });
    expect(value.error?.message).toContain('"nope"');
    for (const argument of Object.keys(inputSchema.properties ?? {}))
      expect(value.error?.message).toContain(argument);
  }
  expect((await call('count_audits', { companyId: 'none' })).value.error?.message).toContain('has none');
});

test('a delete with a condition, which the tool does not have, deletes nothing', async () => {
  const { id } = (await call('create_company', { name: 'Kept' })).value;
  const refused = await call('delete_company', { id, ifMatch: '"stale"' });
  expect([refused.failed, refused.value.error?.code]).toEqual([true, 'invalid_call']);
  expect((await call('get_company', { id })).value).toMatchObject({ id, name: 'Kept' });
});

test('an operation of a batch with an unknown part is refused, and no other is carried out', async () => {
  const kept = { method: 'PUT', path: '/v1/companies/batched', body: { name: 'Batched' } };
  const { value } = await call('run_batch', { operations: [kept, { ...kept, nope: 1 }] });
  expect(value.error).toMatchObject({ code: 'invalid_body', message: expect.stringContaining('nope') });
  expect((await call('get_company', { id: 'batched' })).value.error?.code).toBe('not_found');
});
