import { verifyWebhook } from '@svc/sdk';
import { type Receiver, startReceiver } from '@svc/service/harness/webhooks/receiver.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from '../harness/accessible.ts';
import type { Visitor } from '../harness/visitor.ts';
import { BROWSER_PATH } from '../harness/world.ts';
import { actionsOn, type PageActions } from './page-actions.ts';
import { createWebhookWorld, type WebhookWorld } from './world.ts';

const PHONE_WIDTH = 360;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the pages of webhooks', () => {
  let world: WebhookWorld;
  let visitor: Visitor;
  let page: Page;
  let home: string;
  let dialog: PageActions['dialog'];
  let button: PageActions['button'];
  let choose: PageActions['choose'];
  let create: PageActions['create'];
  beforeAll(async () => {
    world = await createWebhookWorld();
    visitor = await world.open(world.owner);
    page = visitor.page;
    ({ home, dialog, button, choose, create } = actionsOn(page, world));
  });

  const endpointPath = (): string => new URL(page.url()).pathname.replace(home, '');
  const verify = ({ received }: Receiver, secret: string) => {
    const last = received.at(-1);
    if (last === undefined) throw new Error('nothing was received');
    return verifyWebhook(last.body, last.headers, secret);
  };

  test('without an endpoint, the page says what a webhook is', async () => {
    await page.goto(home);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    expect(await page.getByRole('link', { name: /How webhooks work/ }).getAttribute('href')).toBe(
      `${world.url}/docs/webhooks`,
    );
    await expectAccessibleInBothThemes(page);
    visitor.expectNoProblems();
  });

  test('after a rotation both secrets sign, and hidden secrets leave the document', async () => {
    const receiver = await startReceiver();
    const first = await create(receiver, 'Rotated');
    expect(await page.content()).not.toContain(first);
    await button('Rotate…').click();
    await page.getByRole('alertdialog').getByText('For 24 hours').waitFor();
    await expectAccessibleInBothThemes(page);
    await button('Rotate secret').click();
    await page.getByText('The previous secret also signs until').waitFor();
    const [second = '', previous] = await page.locator('[data-secret]').allTextContents();
    expect(previous).toBe(first);
    expect(second).toMatch(/^whsec_/);
    expect(second).not.toBe(first);
    await world.createCompany('Signed twice');
    await expect.poll(() => receiver.received.length).toBe(1);
    await verify(receiver, first);
    await verify(receiver, second);
    await button('Hide secret').click();
    expect(await page.content()).not.toContain(second);
    await button('Show secret').click();
    await expect.poll(() => page.locator('[data-secret]').allTextContents()).toEqual([second, first]);
    visitor.expectNoProblems();
  });

  test('a disabled endpoint gets nothing, and continues with what it missed when it is enabled', async () => {
    const receiver = await startReceiver();
    await create(receiver, 'Paused');
    await choose('Disable');
    await page.getByText('A person disabled it.').first().waitFor();
    await world.createCompany('Missed');
    const active = await startReceiver();
    await world.owner.post(`/workspaces/${world.workspaceId}/webhooks`, {
      url: active.url,
      description: 'Gets it meanwhile',
      types: null,
      companyId: null,
      ordered: true,
    });
    await world.createCompany('Later');
    await expect.poll(() => active.received.length).toBe(1);
    expect(receiver.received).toEqual([]);
    await button('Enable').press('Enter');
    await expect.poll(() => receiver.received.length).toBe(2);
    await page.locator('#main:focus').waitFor();
    await page.getByText('Enabled', { exact: true }).waitFor();
    visitor.expectNoProblems();
  });

  test('the settings are edited, and an error of the service is next to its field', async () => {
    const receiver = await startReceiver();
    await create(receiver, 'Before');
    await button('Edit').click();
    await dialog().getByLabel('Description').fill('After');
    await dialog().getByLabel('URL').fill('http://10.0.0.1/hook');
    await button('Save').click();
    await dialog().getByRole('alert').waitFor();
    expect(await dialog().getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await expectAccessibleInBothThemes(page);
    await dialog().getByLabel('URL').fill(receiver.url);
    await button('Save').click();
    await page.getByRole('heading', { name: 'After', level: 1 }).waitFor();
    visitor.expectNoProblems(/status of 400/);
  });

  test('an endpoint is deleted, and its page says so, also to somebody who still has it open', async () => {
    const receiver = await startReceiver();
    await create(receiver, 'Deleted');
    const path = endpointPath();
    const other = await visitor.context.newPage();
    await other.goto(home + path);
    await other.getByRole('heading', { name: 'Deleted', level: 1 }).waitFor();
    await choose('Delete…');
    await page.getByRole('alertdialog').getByText('cannot be undone').waitFor();
    await button('Delete endpoint').click();
    await page.waitForURL(/\/webhooks$/);
    await page.getByRole('link', { name: receiver.url }).waitFor({ state: 'detached' });
    await other.getByRole('button', { name: 'Show secret' }).click();
    await other.getByRole('heading', { name: 'Not found' }).waitFor();
    await other.close();
    expect((await world.send('GET', path)).status).toBe(404);
    visitor.expectNoProblems(/status of 404/);
  });

  test('a viewer sees no webhooks, and their browser does not ask for them', async () => {
    const viewer = await world.open(world.viewer);
    const asked: string[] = [];
    viewer.page.on('request', (request) => {
      if (request.url().includes('/webhooks') && request.url().includes('/dashboard/api')) {
        asked.push(request.url());
      }
    });
    await viewer.page.goto(`${home}/webhooks`);
    await viewer.page.getByRole('heading', { name: 'You cannot see webhooks' }).waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    expect(asked).toEqual([]);
    await expectAccessibleInBothThemes(viewer.page);
    viewer.expectNoProblems();
    const answer = await fetch(`${world.url}/dashboard/api/workspaces/${world.workspaceId}/webhooks`, {
      headers: world.viewer.headers,
    });
    expect(answer.status).toBe(403);
  });

  test('a banner names an endpoint that the service has disabled, and leads to it', async () => {
    let status = 410;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    await create(receiver, 'Gone for good');
    await world.createCompany('Last one');
    await page.getByText('410 (Gone)').first().waitFor();
    await page.goto(home);
    const banner = page.getByRole('region', { name: 'Disabled webhooks' });
    await banner.getByText('“Gone for good”').waitFor();
    await expectAccessibleInBothThemes(page);
    const viewer = await world.open(world.viewer);
    await viewer.page.goto(home);
    await viewer.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await viewer.page.waitForLoadState('networkidle');
    expect(await viewer.page.getByRole('region', { name: 'Disabled webhooks' }).count()).toBe(0);
    await banner.getByRole('link', { name: 'See why' }).click();
    await page.getByRole('heading', { name: 'Gone for good', level: 1 }).waitFor();
    // Otherwise the event that it has missed would disable it again.
    status = 200;
    await button('Enable').click();
    await banner.waitFor({ state: 'detached' });
    visitor.expectNoProblems();
  });

  test('all pages fit on a phone, and axe finds nothing, also with long URLs', async () => {
    const { url } = await startReceiver();
    const long = `${url}/${'a-long-path-without-a-space-'.repeat(20)}?token=${'x'.repeat(300)}`;
    const phone = await world.open(world.owner, { viewport: { width: PHONE_WIDTH, height: 740 } });
    const on = phone.page;
    await on.goto(`${home}/webhooks?create=true`);
    await on.getByLabel('URL').fill(long);
    await on.getByRole('radio', { name: /^Chosen events/ }).click();
    await on.getByLabel('company.created').check();
    await expectAccessibleInBothThemes(on);
    await on.getByRole('dialog').getByRole('button', { name: 'Create endpoint' }).click();
    await on.locator('[data-secret]').waitFor();
    await expectAccessibleInBothThemes(on);
    await on.getByRole('button', { name: 'Open the endpoint' }).click();
    await on.getByRole('heading', { name: 'Secret' }).waitFor();
    await expectAccessibleInBothThemes(on);
    await on.getByRole('link', { name: 'All webhooks' }).click();
    await on.getByRole('link', { name: long }).waitFor();
    await expectAccessibleInBothThemes(on);
    phone.expectNoProblems();
  });
});
