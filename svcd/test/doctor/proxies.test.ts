import { createTestService } from '@svc/service/harness/service.ts';
import { expect, test } from 'vitest';
import { checkProxies } from '../../src/doctor/proxies.ts';

const PROXY = '10.0.0.1';

test.each([
  [false, '203.0.113.7'],
  ['192.0.2.0/24', '203.0.113.7'],
  [1, 'unknown'],
] as const)('the doctor warns of SVC_TRUST_PROXY=%s with "%s"', async (trustProxy, forwarded) => {
  const { request } = await createTestService({ trustProxy });
  for (let i = 0; i < 3; i++) {
    await request(null, '/healthz', { remoteAddress: PROXY, headers: { 'x-forwarded-for': forwarded } });
  }
  expect(checkProxies((await request(null, '/metrics')).text)).toMatchObject({
    status: 'warn',
    text: expect.stringContaining('(3 requests)'),
  });
});

test('the doctor finds nothing if the addresses are correct', async () => {
  const { request } = await createTestService({ trustProxy: 1 });
  await request(null, '/healthz', { remoteAddress: PROXY, headers: { 'x-forwarded-for': '203.0.113.7' } });
  expect(checkProxies((await request(null, '/metrics')).text).status).toBe('ok');
});
