import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { onFileEnd } from '../harness/cleanup.ts';
import { runSvcd } from '../harness/process.ts';
import { openProvider } from './openid.ts';

const provider = await openProvider('https://svc.example.com');
const dataDir = await dataDirectory();

/** What svcd doctor says of OpenID Connect: a status and a text per finding. */
async function doctor(settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { stdout } = await runSvcd(['doctor', '--json'], {
    env: {
      SVC_DATA_DIR: dataDir,
      SVC_PORT: '1',
      SVC_OIDC_ISSUER: provider.issuer,
      SVC_OIDC_CLIENT_ID: provider.clientId,
      SVC_OIDC_CLIENT_SECRET: provider.clientSecret,
      ...settings,
    },
  });
  expect(stdout).not.toContain(provider.clientSecret);
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { check: string; status: string; text: string; remedy?: string }[];
  };
  return checks
    .filter(({ check }) => check === 'openid')
    .map(({ status, text, remedy = '' }) => `${status}: ${text}; ${remedy}`);
}

test('svcd doctor says that the provider responds, and which redirect URI it needs', async () => {
  expect(await doctor({ SVC_PUBLIC_URL: 'https://svc.example.com' })).toEqual([
    expect.stringMatching(/^ok: .+ responds; .+ https:\/\/svc\.example\.com\/sign-in;/),
  ]);
  expect(await doctor({ SVC_PUBLIC_URL: 'http://localhost:8080' })).toEqual([expect.stringMatching(/^ok:/)]);
});

test('it refuses a redirect URI without https', async () => {
  expect(await doctor({ SVC_PUBLIC_URL: 'http://svc.example.com' })).toEqual([
    expect.stringMatching(/^fail: the redirect URI http:\/\/svc\.example\.com\/sign-in .+set SVC_PUBLIC_URL/),
    expect.stringMatching(/^ok:/),
  ]);
});

test('it says that the provider names another issuer', async () => {
  provider.tamper = (_, response) => {
    response.body = { ...Object(response.body), issuer: 'https://other.example.com' };
  };
  const [found] = await doctor({});
  expect(found).toMatch(/^fail: .+openid-configuration cannot be used .+set SVC_OIDC_ISSUER to exactly/);
  provider.tamper = () => undefined;
});

test('it says within some seconds that nothing responds', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  onFileEnd(async () => {
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });
  for (const at of [port, 1]) {
    const [found] = await doctor({ SVC_OIDC_ISSUER: `http://127.0.0.1:${at}` });
    expect(found).toMatch(/^fail: .+openid-configuration does not respond .+let this machine reach it/);
  }
});
