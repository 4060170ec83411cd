import { startProvider } from '@svc/openid-sign-in/testing';
import { createApp } from '@svc/service/app';
import { bootstrap, createDashboardAuth } from '@svc/service/dashboard';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { createTestDatabase, testLanes } from '@svc/service/harness/database.ts';
import { freePort } from '@svc/service/server/listen';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH, launch } from '../harness/launch.ts';
import { openVisitor } from '../harness/visitor.ts';

const PASSWORD = 'correct horse battery staple';
const HOST = '127.0.0.1';

// Skipped without Chromium, which is an error in CI.
test.skipIf(BROWSER_PATH === undefined)(
  'a person connects the account to a provider, signs in with it, and reads why it fails',
  async () => {
    const database = await createTestDatabase();
    const { pool } = database;
    const port = await freePort(HOST);
    const url = `http://${HOST}:${port}`;
    const provider = await startProvider({ redirectUris: [`${url}/sign-in`] });
    const secrets = ['a secret of the tests, 32 characters or more'];
    const { issuer, clientId, clientSecret } = provider;
    const log: string[] = [];
    const app = createApp({
      lanes: testLanes(database),
      secrets,
      config: {
        trustProxy: false,
        failedAuthPerMinute: 100_000,
        publicUrl: url,
        oidc: {
          issuer,
          clientId,
          clientSecret,
          name: 'Example ID',
          allowedDomains: ['example.com'],
          newcomers: undefined,
        },
      },
      log: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen({ host: HOST, port });
    const browser = await launch();
    onFileEnd(async () => {
      await browser.close();
      await app.close();
      await provider.close();
    });
    const auth = createDashboardAuth({ pool, secrets, publicUrl: url, log: pino({ level: 'silent' }) });
    const email = 'ada@example.com';
    await bootstrap({ pool, auth, email, password: PASSWORD, workspaceName: 'Northwind' });
    provider.people.set('ada', { sub: 'ada', email, email_verified: true });

    const { page } = await openVisitor(browser, url);
    const atProvider = async (): Promise<void> => {
      await page.waitForURL(`${issuer}/**`);
      await page.getByLabel('Subject').fill('ada');
      await page.getByRole('button', { name: 'Continue' }).press('Enter');
    };
    const button = page.getByRole('button', { name: 'Continue with Example ID' });
    await page.goto(`${url}/sign-in?next=/account`);
    await button.press('Enter');
    await atProvider();
    await page.getByRole('alert').getByText('There is an account for ada@example.com').waitFor();
    await page.getByText(/Request-Id: req_/).waitFor();
    expect(page.url()).toBe(`${url}/sign-in`);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start again' }).press('Enter');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).press('Enter');
    await page.waitForURL(/\/w\//);
    await page.goto(`${url}/account`);
    await page.getByRole('button', { name: 'Connect Example ID' }).press('Enter');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue', exact: true }).press('Enter');
    await page.getByText('with your password or with Example ID').waitFor();
    await expectAccessible(page);

    await page.context().clearCookies();
    await page.goto(`${url}/sign-in?next=/account`);
    await button.press('Enter');
    await atProvider();
    await page.waitForURL(`${url}/account`);
    expect(log.join('\n')).not.toMatch(/[?&]code=|id_token/);
  },
);
