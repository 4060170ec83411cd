import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { expectAbove } from '../harness/in-view.ts';
import { focused } from '../harness/keyboard.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a form with wrong values', () => {
  let world: World;
  let ada: Person;
  let page: Page;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    await seedRecords(world.pool, ada.workspaceId, resourceNamed('companies'), [
      { id: 'com_a', name: 'Acme', domain: null, createdAt: '2026-03-01T09:30:00Z' },
    ]);
    ({ page } = await world.signedIn(ada, { reducedMotion: 'reduce' }));
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`/w/${ada.workspaceId}${path}`);
    // Behind a dialog, the heading of the page is hidden from the tree of accessible elements.
    await page.locator('h1').waitFor();
  };
  /** The error that a screen reader reads with the field. */
  const errorOf = async (field: Locator): Promise<string | null> => {
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const id = (await field.getAttribute('aria-describedby')) ?? '';
    return page.locator(`[id="${id}"]`).textContent();
  };

  test('says at each field what is missing, and focuses the first one, until the value is right', async () => {
    await open('/keys?create=true');
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name');
    const burst = dialog.getByLabel('Burst limit (optional)');
    await burst.fill('0');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    expect(await focused(page)).toBe('Name');
    expect(await errorOf(name)).toBe('Enter a value.');
    expect(await errorOf(burst)).toBe('Enter at least 1.');
    const expiry = dialog.getByLabel('Expiry date (optional)');
    await expiry.fill('2026-01-01');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    expect(await errorOf(expiry)).toMatch(/^Choose \d{4}-\d\d-\d\d or later\.$/);
    await expiry.fill('');
    await expectAccessible(page);
    await name.fill('Crawler');
    expect(await name.getAttribute('aria-invalid')).toBeNull();
    await burst.fill('1.5');
    expect(await errorOf(burst)).toBe('Enter a whole number.');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    expect(await focused(page)).toBe('Burst limit (optional)');
    await burst.fill('5');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.locator('[data-token]').waitFor();
  });

  test('says it in words for choices, times, numbers, addresses and URLs', async () => {
    await open('/data/audits');
    await page.getByRole('button', { name: 'Create audit' }).click();
    await page.getByRole('option', { name: 'Acme' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Headline score').fill('172');
    await dialog.getByRole('button', { name: 'Create audit' }).click();
    expect(await errorOf(dialog.getByLabel('Headline score'))).toBe('Enter at most 100.');

    await open('/data/mentions');
    await page.getByRole('button', { name: 'Create mention' }).click();
    await page.getByRole('option', { name: 'Acme' }).click();
    await dialog.getByRole('button', { name: 'Create mention' }).click();
    expect(await errorOf(dialog.getByLabel('Sentiment'))).toBe('Choose a value.');
    expect(await errorOf(dialog.getByLabel('Published'))).toBe('Enter a complete date and time.');

    await open('/settings?tab=members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByLabel('Email address').fill('grace');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    expect(await errorOf(dialog.getByLabel('Email address'))).toBe(
      'Enter an email address, such as ada@example.com.',
    );

    await open('/webhooks?create=true');
    await dialog.getByLabel('URL').fill('example');
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    expect(await errorOf(dialog.getByLabel('URL'))).toBe('Enter a URL, such as https://example.com.');
  });

  test('focuses the field that the service refuses', async () => {
    await open('/keys?create=true');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Crawler');
    await dialog.getByLabel('Allowed networks (optional)').fill('10.0.0.0/33');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('"10.0.0.0/33" is neither').waitFor();
    await expect.poll(() => focused(page)).toBe('Allowed networks (optional)');
  });

  test('shows an error about no field, also in a dialog that has to scroll', async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await open('/keys?create=true');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Crawler');
    await page.route(/\/keys$/, (route) => route.abort());
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await expectAbove(dialog.getByRole('alert'), dialog.getByRole('button', { name: 'Cancel' }));
    await page.unroute(/\/keys$/);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('says before the sign-in what is missing', async () => {
    const visitor = await world.visitor();
    await visitor.page.goto('/sign-in');
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByText('Enter a value.').first().waitFor();
    expect(await focused(visitor.page)).toBe('Email address');
    visitor.expectNoProblems();
  });
});
