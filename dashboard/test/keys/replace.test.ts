import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from '../harness/accessible.ts';
import { press } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the replacement of a key', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const home = `/w/${workspaceId}`;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  let page: Page;
  beforeAll(async () => {
    page = await open(owner, `${home}/keys`);
  });
  /** A day in UTC, such as `2026-03-01`. */
  const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const section = (name: string) => page.getByRole('region', { name, exact: true });

  test('names the company of the key, also if the name arrives after the dialog', async () => {
    const createdAt = new Date(Date.now() - 60_000).toISOString();
    await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [
      { id: 'com_a', name: 'Acme', domain: null, createdAt },
    ]);
    const { keyId } = await service.issue(workspaceId, { name: 'Partner', companyId: 'com_a' });
    const shown = Promise.withResolvers<void>();
    await page.route(/\/company-names/, async (route) => {
      await shown.promise;
      await route.continue();
    });
    await page.goto(`${home}/keys/${keyId}?replace=true`);
    const dialog = page.getByRole('dialog', { name: 'Replace “Partner”' });
    await dialog.getByText('com_a').first().waitFor();
    shown.resolve();
    await dialog.getByText('Acme', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.locator('[data-token]').waitFor();
    await page.unroute(/\/company-names/);
    const { rows } = await service.pool.query('select company_id from api_keys where name = $1', ['Partner']);
    expect(rows).toEqual([{ company_id: 'com_a' }, { company_id: 'com_a' }]);
  });

  test('is where the notice of a key that expires leads', async () => {
    const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const soon = await service.issue(workspaceId, { name: 'Nightly', expiresAt });
    await service.pool.query(`update api_keys set created_at = $2 where id = $1`, [
      soon.keyId,
      `${dayIn(-30)}T12:00:00Z`,
    ]);
    await service.issue(workspaceId, { name: 'Later', expiresAt: '2100-01-01T00:00:00Z' });
    const notice = page.getByRole('region', { name: 'Keys that expire' });
    for (const path of ['', '/keys']) {
      await page.goto(home + path);
      await notice.getByText(/“Nightly” expires in [23] days\./).waitFor();
      expect(await notice.getByRole('listitem').count()).toBe(1);
      await expectAccessibleInBothThemes(page);
    }
    await press(page, 'Replace “Nightly”');
    await page.getByRole('dialog', { name: 'Replace “Nightly”' }).waitFor();
    expect(page.url()).toMatch(new RegExp(`/keys/${soon.keyId}$`));
    const expiry = page.getByLabel('Expiry date (optional)');
    expect(await expiry.inputValue(), 'the same lifetime').toBe(dayIn(33));
    await page.getByText('The new key has the settings of the old one, and the same lifetime').waitFor();
    await press(page, 'Create key');
    await page.locator('[data-token]').waitFor();
    // A program that still has the old token.
    await service.request(soon.token, '/v1/audits');
    const used = () => service.pool.query('select from key_usage where key_id = $1', [soon.keyId]);
    await expect.poll(async () => (await used()).rowCount).toBe(1);
    await press(page, "Done, I've saved it");
    await page.getByRole('alertdialog').getByText('Last used').waitFor();
    await press(page, 'Revoke key');
    await section('Key').getByText('Revoked', { exact: true }).waitFor();
    await press(page, 'All API keys');
    await expect.poll(() => page.getByRole('row', { name: /Nightly/ }).count()).toBe(1);
    await expect.poll(() => notice.count()).toBe(0);
    const seen = await open(viewer, home);
    await seen.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await seen.getByRole('region', { name: 'Keys that expire' }).count()).toBe(0);
  });

  test('starts with the settings of now, not with those of the page, and so does an edit', async () => {
    const { keyId } = await service.issue(workspaceId, { name: 'Limited' });
    const limitTo = (networks: string, burst: number) =>
      service.pool.query('update api_keys set allowed_networks = $2, burst_limit = $3 where id = $1', [
        ...[keyId, [networks], burst],
      ]);
    await page.goto(`${home}/keys/${keyId}`);
    await press(page, 'Edit…');
    await page.getByLabel('Burst limit').waitFor();
    await press(page, 'Cancel');

    await limitTo('192.0.2.0/24', 3);
    const held = Promise.withResolvers<void>();
    await page.route(new RegExp(`/keys/${keyId}$`), async (route) => {
      await held.promise;
      await route.continue();
    });
    await press(page, 'Replace…');
    const dialog = page.getByRole('dialog', { name: 'Replace “Limited”' });
    await dialog.waitFor();
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    held.resolve();
    expect(await dialog.getByLabel('Allowed networks').inputValue()).toBe('192.0.2.0/24');
    await press(page, 'Create key');
    await page.locator('[data-token]').waitFor();
    const { rows } = await service.pool.query(
      `select allowed_networks, burst_limit from api_keys where name = 'Limited'`,
    );
    expect(rows).toEqual(Array(2).fill({ allowed_networks: ['192.0.2.0/24'], burst_limit: 3 }));

    await press(page, "Done, I've saved it");
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await limitTo('198.51.100.0/24', 4);
    await press(page, 'Edit…');
    expect(await page.getByLabel('Allowed networks').inputValue()).toBe('198.51.100.0/24');
  });
});
