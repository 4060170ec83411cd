import { PASSWORD } from '@svc/service/harness/dashboard-http.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { seedWebhook } from '../harness/pages.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)(
  'a dialog in which the session ends is complete after the sign-in',
  () => {
    let world: World;
    let ada: Person;
    let page: Page;
    beforeAll(async () => {
      world = await createWorld();
      ada = await world.person('Ada');
      const createdAt = '2026-03-01T09:30:00Z';
      const seed = (name: string, row: Parameters<typeof seedRecords>[3][number]) =>
        seedRecords(world.pool, ada.workspaceId, resourceNamed(name), [row]);
      await seed('companies', { id: 'com_a', name: 'Acme', domain: null, createdAt });
      await seed('api-keys', { id: 'key_a', companyId: null, revokedAt: null, createdAt });
      await seedWebhook(world, ada.workspaceId, 'we_a');
      ({ page } = await world.signedIn(ada));
    });

    const dialog = () => page.getByRole('dialog');
    const radio = (name: RegExp): Locator => dialog().getByRole('radio', { name });
    const open = (path: string) => page.goto(`/w/${ada.workspaceId}${path}`);
    const chooseCompany = async (): Promise<void> => {
      await dialog().getByPlaceholder('Name, domain or id').fill('Acme');
      await page.getByRole('option', { name: /^Acme/ }).click();
    };
    const companyIsChosen = async (): Promise<void> => {
      await dialog().getByText('Acme', { exact: true }).waitFor();
      await dialog().getByRole('button', { name: 'Change' }).waitFor();
    };
    /** Sends the form without a session. Then the person signs in again. `meanwhile`: SQL that runs before. */
    const signInAgain = async (button: string, meanwhile?: string): Promise<void> => {
      await world.pool.query('delete from sessions where user_id = $1', [ada.userId]);
      await dialog().getByRole('button', { name: button, exact: true }).click();
      // A dialog may have a field with the same name.
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await page.getByLabel('Email address').fill(ada.email);
      if (meanwhile !== undefined) await world.pool.query(meanwhile);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(/\/w\//);
    };

    test('a new key, whose limits would be missing', async () => {
      await open('/keys?create=true');
      await dialog().getByLabel('Name').fill('Crawler');
      await radio(/^Test/).check();
      await radio(/^Read and write/).check();
      await radio(/^One company/).check();
      await chooseCompany();
      await dialog().getByLabel('Allowed networks').fill('203.0.113.0/24');
      await dialog().getByLabel('Burst limit').fill('7');
      await signInAgain('Create key');
      expect(await dialog().getByLabel('Name').inputValue()).toBe('Crawler');
      await companyIsChosen();
      await dialog().getByRole('button', { name: 'Create key' }).click();
      await page.locator('[data-token]').waitFor();
      const { rows } = await world.pool.query(
        `select mode, access, company_id, allowed_networks, burst_limit from api_keys where name = 'Crawler'`,
      );
      const settings = { mode: 'test', access: 'write', company_id: 'com_a', burst_limit: 7 };
      expect(rows).toEqual([{ ...settings, allowed_networks: ['203.0.113.0/24'] }]);
    });

    test('a changed key, without the settings that somebody else changes meanwhile', async () => {
      await open('/keys/key_a');
      const edit = page.getByRole('button', { name: 'Edit…' });
      await edit.click();
      await dialog().getByLabel('Allowed networks').fill('198.51.100.7');
      await signInAgain('Save', `update api_keys set burst_limit = 9 where id = 'key_a'`);
      await edit.click();
      expect(await dialog().getByLabel('Burst limit').inputValue()).toBe('9');
      await dialog().getByRole('button', { name: 'Save' }).click();
      await dialog().waitFor({ state: 'detached' });
      const { rows } = await world.pool.query(
        `select allowed_networks, burst_limit from api_keys where id = 'key_a'`,
      );
      expect(rows).toEqual([{ allowed_networks: ['198.51.100.7/32'], burst_limit: 9 }]);
    });

    test('a new record, with its company', async () => {
      await open('/data/content?dialog=create');
      await chooseCompany();
      await dialog().getByLabel('Title').fill('Best words');
      await signInAgain('Create content item');
      await companyIsChosen();
      expect(await dialog().getByLabel('Title').inputValue()).toBe('Best words');
    });

    test('a new webhook, and a changed one', async () => {
      await open('/webhooks?create=true');
      await dialog().getByLabel('URL').fill('https://example.com/events');
      await radio(/^Unordered/).check();
      await signInAgain('Create endpoint');
      expect(await dialog().getByLabel('URL').inputValue()).toBe('https://example.com/events');
      expect(await radio(/^Unordered/).isChecked()).toBe(true);

      await open('/webhooks/we_a');
      const edit = page.getByRole('button', { name: 'Edit', exact: true });
      await edit.click();
      await dialog().getByLabel('Description').fill('Nightly');
      await signInAgain('Save');
      await edit.click();
      expect(await dialog().getByLabel('Description').inputValue()).toBe('Nightly');
    });

    test('an invitation, with its role', async () => {
      await open('/settings?tab=members&invite=true');
      await dialog().getByLabel('Email address').fill('grace@example.com');
      await dialog().getByLabel('Role').selectOption('admin');
      await signInAgain('Create link');
      expect(await dialog().getByLabel('Role').inputValue()).toBe('admin');
    });
  },
);
