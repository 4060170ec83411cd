import type { TrustedProxies } from '@svc/ip-addresses/proxies';
import { describe, expect, test } from 'vitest';
import { createTestDashboard } from '../harness/dashboard.ts';
import { createTestService, type TestService } from '../harness/service.ts';

const FAILED_AUTH_PER_MINUTE = 3;
const PROXY = '10.0.0.1';
const UNKNOWN_TOKEN = `svc_live_${'a'.repeat(32)}`;

const first = await createTestService();
const { database } = first;
const workspaceId = await first.workspace();
const { token, keyId } = await first.issue(workspaceId);

const nodeThat = (trustProxy: TrustedProxies): Promise<TestService> =>
  createTestService({ database, trustProxy, failedAuthPerMinute: FAILED_AUTH_PER_MINUTE });

/** The address in the audit entry of a request that the proxy sends on with this X-Forwarded-For. */
async function loggedAddress(node: TestService, forwarded: string, remoteAddress = PROXY): Promise<unknown> {
  const { headers } = await node.request(token, '/v1/audits', {
    remoteAddress,
    headers: { 'x-forwarded-for': forwarded },
  });
  const { rows } = await node.pool.query<{ doc: string }>(
    `select doc from audit_log where workspace_id = $1 and key_id = $2 and doc::json ->> 'requestId' = $3`,
    [workspaceId, keyId, headers['request-id']],
  );
  return (JSON.parse(rows[0]?.doc ?? '{}') as { readonly ip?: string }).ip;
}

describe('the address in the audit log', () => {
  test.each([
    [false, '203.0.113.7', PROXY],
    [1, '203.0.113.7', '203.0.113.7'],
    [1, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [2, '198.51.100.1, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['10.0.0.0/8', '198.51.100.1, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['10.0.0.0/8', '2001:db8::1', '2001:db8::1'],
    ['192.0.2.0/24', '203.0.113.7', PROXY],
    [1, '203.0.113.7:4711', '203.0.113.7'],
    [1, '[2001:db8::1]:443', '2001:db8::1'],
    ['10.0.0.0/8', '198.51.100.1:1, 203.0.113.7:2, 10.0.0.2:3', '203.0.113.7'],
  ] as const)('with SVC_TRUST_PROXY=%s and "%s" is %s', async (trustProxy, forwarded, address) => {
    expect(await loggedAddress(await nodeThat(trustProxy), forwarded)).toBe(address);
  });

  test('is left out when what the proxy says is none: never a token, never a text', async () => {
    const node = await nodeThat(1);
    for (const forwarded of [token, 'unknown', '203.0.113.7:port', '<b>']) {
      expect(await loggedAddress(node, forwarded)).toBeUndefined();
    }
    expect(await loggedAddress(node, `fe80::1%${token}`)).toBe('fe80::1');
  });
});

describe('a mistake in SVC_TRUST_PROXY or of a proxy', () => {
  const ask = (node: TestService, headers: Readonly<Record<string, string>>) =>
    node.request(token, '/v1/audits', { remoteAddress: PROXY, headers });
  const warnings = ({ log }: TestService): readonly string[] =>
    log.filter((line) => line.includes('X-Forwarded-For'));

  test.each([
    [false, '203.0.113.7', 'does not trust', 'untrusted_sender'],
    ['192.0.2.0/24', '203.0.113.7', 'does not trust', 'untrusted_sender'],
    [1, 'unknown', 'is no IP address', 'no_address'],
  ] as const)(
    'is logged once and counted: SVC_TRUST_PROXY=%s, "%s"',
    async (trustProxy, forwarded, text, mistake) => {
      const node = await nodeThat(trustProxy);
      await ask(node, {});
      expect(warnings(node)).toEqual([]);
      for (let i = 0; i < 3; i++) await ask(node, { 'x-forwarded-for': forwarded });
      expect(warnings(node)).toEqual([expect.stringContaining(text)]);
      expect(warnings(node)[0]).toContain(`"sender":"${PROXY}"`);
      expect(warnings(node)[0]).not.toContain(forwarded);
      const metrics = (await node.request(null, '/metrics')).text;
      expect(metrics).toContain(`svc_proxy_mistakes_total{mistake="${mistake}"} 3`);
    },
  );

  test('is not seen where all is well', async () => {
    const node = await nodeThat(1);
    await ask(node, { 'x-forwarded-for': '203.0.113.7' });
    expect(warnings(node)).toEqual([]);
  });
});

describe('a client that sends invented addresses before those of the proxies', () => {
  const made = (i: number): Readonly<Record<string, string>> => ({
    'x-forwarded-for': `198.51.100.${i}, 203.0.113.9`,
  });

  test('fails to authenticate no more often than others', async () => {
    const node = await nodeThat(1);
    const statuses: number[] = [];
    for (let i = 0; i <= FAILED_AUTH_PER_MINUTE; i++) {
      statuses.push(
        (await node.request(UNKNOWN_TOKEN, '/v1/audits', { remoteAddress: PROXY, headers: made(i) })).status,
      );
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
    // Garbage is the proxy's own address.
    for (const forwarded of ['a', 'b', 'c', 'd']) {
      const headers = { 'x-forwarded-for': forwarded };
      statuses.push(
        (await node.request(UNKNOWN_TOKEN, '/v1/audits', { remoteAddress: PROXY, headers })).status,
      );
    }
    expect(statuses.slice(-4)).toEqual([401, 401, 401, 429]);
  });

  test('cannot use all the addresses of an IPv6 network of its own, for keys or to sign in', async () => {
    const node = await nodeThat(false);
    const { nobody } = createTestDashboard(node);
    const addressOf = (i: number): string => `2001:db8:1:2::${(i + 1).toString(16)}`;
    const statuses: number[] = [];
    for (let i = 0; i <= FAILED_AUTH_PER_MINUTE; i++) {
      statuses.push(
        (await node.request(UNKNOWN_TOKEN, '/v1/audits', { remoteAddress: addressOf(i) })).status,
      );
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
    const other = { remoteAddress: '2001:db8:1:3::1' };
    expect((await node.request(UNKNOWN_TOKEN, '/v1/audits', other)).status).toBe(401);
    const body = { email: 'nobody@example.com', password: 'not the password' };
    const attempts = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        nobody.send('POST', '/auth/sign-in/email', body, { remoteAddress: addressOf(i) }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 429)).toHaveLength(4);
  });

  test('tries to sign in no more often than others', async () => {
    const node = await nodeThat(1);
    const { nobody } = createTestDashboard(node);
    const body = { email: 'nobody@example.com', password: 'not the password' };
    const attempts = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        nobody.send('POST', '/auth/sign-in/email', body, { remoteAddress: PROXY, headers: made(i) }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 429)).toHaveLength(4);
  });
});
