import { verifyWebhook } from '@svc/sdk';
import { PAGE_LIMIT_DEFAULT } from '@svc/sdk/contract';
import { startReceiver } from '@svc/service/harness/webhooks/receiver.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes } from '../harness/accessible.ts';
import type { Visitor } from '../harness/visitor.ts';
import { BROWSER_PATH } from '../harness/world.ts';
import { actionsOn, type PageActions } from './page-actions.ts';
import { createWebhookWorld, type WebhookWorld } from './world.ts';

const PHONE_WIDTH = 360;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the deliveries of an endpoint', () => {
  let world: WebhookWorld;
  let visitor: Visitor;
  let page: Page;
  let actions: PageActions;
  beforeAll(async () => {
    world = await createWebhookWorld();
    visitor = await world.open(world.owner);
    page = visitor.page;
    actions = actionsOn(page, world);
  });

  const stateOf = (text: string) => page.getByRole('status').filter({ hasText: text });

  test('an endpoint is created, gets a test event, and shows its delivery with the exact body', async () => {
    const receiver = await startReceiver((response) => response.writeHead(200).end('thank you'));
    const secret = await actions.create(receiver, 'Order system');
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    await actions.sendTest(/Delivered.*200/);
    const [first] = receiver.received;
    if (first === undefined) throw new Error('nothing was received');
    await verifyWebhook(first.body, first.headers, secret);

    await page.getByRole('table').getByRole('link').first().click();
    await stateOf('Delivered').waitFor();
    await page.getByText('thank you').waitFor();
    await actions.button('Copy request body').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(receiver.received.at(-1)?.body);
    await expectAccessibleInBothThemes(page);
    visitor.expectNoProblems();
  });

  test('a delivery that fails is replayed, arrives with the same id, and links to its record', async () => {
    let status = 500;
    const receiver = await startReceiver((response) => response.writeHead(status).end('out of order'));
    await actions.create(receiver, 'Fails at first', async () => {
      await page.getByRole('radio', { name: /^Chosen events/ }).click();
      await page.getByLabel('company.created').check();
      await page.getByRole('radio', { name: /^Unordered/ }).click();
    });
    await world.createCompany('Replayed');
    // The page shows the second attempt without a reload. The third one is five minutes later.
    await page.getByRole('row', { name: /company\.created.*Pending.*500.*2/ }).waitFor();
    await page.getByText('Failing').first().waitFor();
    await page.getByRole('link', { name: 'company.created' }).click();
    await stateOf('Pending').waitFor();
    await page.getByText('out of order').waitFor();
    status = 204;
    await actions.button('Replay').click();
    await stateOf('Delivered').waitFor();
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    await page.getByRole('link', { name: 'Replayed' }).click();
    await page.getByRole('heading', { name: 'Replayed' }).waitFor();
    visitor.expectNoProblems();
  });

  test('deliveries are filtered by state and type, in the URL', async () => {
    const receiver = await startReceiver();
    await actions.create(receiver, 'Filtered');
    await world.createCompany('One');
    await page.getByRole('link', { name: 'company.created' }).waitFor();
    await page.getByLabel('State').selectOption('failed');
    await page.getByRole('heading', { name: 'No deliveries match these filters' }).waitFor();
    await page.waitForURL(/state=failed/);
    await actions.button('Clear filters').first().press('Enter');
    await page.locator('select:focus').waitFor();
    await page.getByLabel('Type').selectOption('company.created');
    await page.getByRole('link', { name: 'company.created' }).waitFor();
    await page.getByLabel('Type').selectOption('company.deleted');
    await page.getByRole('heading', { name: 'No deliveries match these filters' }).waitFor();
    visitor.expectNoProblems();
  });

  test('older deliveries are loaded by a button', async () => {
    const receiver = await startReceiver();
    await actions.create(receiver, 'Many');
    for (let i = 0; i < PAGE_LIMIT_DEFAULT + 5; i++) await world.createCompany(`Company ${i}`);
    await expect.poll(() => receiver.received.length).toBe(PAGE_LIMIT_DEFAULT + 5);
    await page.reload();
    await page.getByText(`${PAGE_LIMIT_DEFAULT} deliveries shown`).waitFor();
    await actions.button('Load more').click();
    await page.getByText(`${PAGE_LIMIT_DEFAULT + 5} deliveries`, { exact: true }).waitFor();
    const ids = await page.getByRole('row').locator('code').allTextContents();
    expect(new Set(ids)).toEqual(new Set(receiver.received.map(({ id }) => id)));
    visitor.expectNoProblems();
  });

  test('a search for a rare type goes on until it has found it', async () => {
    await actions.create(await startReceiver(), 'Rare');
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const insert = `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, duration_ms,
      attempted_at, created_at)`;
    // More than the service searches for one request.
    await world.pool.query(
      `${insert} select $1, $2, 'chg_' || n, 'company.created', 'delivered', 1, 5, now(), now() from generate_series(1, 5100) n`,
      [world.workspaceId, id],
    );
    await world.pool.query(
      `${insert} values ($1, $2, 'chg_old', 'company.deleted', 'delivered', 1, 5, now(), now() - interval '1 day')`,
      [world.workspaceId, id],
    );
    await page.goto(`${page.url()}?type=company.deleted`);
    await page.getByRole('link', { name: 'company.deleted' }).waitFor();
    await page.getByText('1 delivery', { exact: true }).waitFor();
    visitor.expectNoProblems();
  });

  test('everything since a time is replayed', async () => {
    const receiver = await startReceiver();
    await actions.create(receiver, 'Again');
    await world.createCompany('Twice');
    await page.getByRole('row', { name: /company\.created.*Delivered/ }).waitFor();
    await actions.choose('Replay since…');
    const since = await page.evaluate(() => {
      const local = new Date(Date.now() - 60_000 - new Date().getTimezoneOffset() * 60_000);
      return local.toISOString().slice(0, 16);
    });
    await actions.dialog().getByLabel('Since').fill('10000-01-01T00:00');
    await actions.dialog().getByRole('button', { name: 'Replay' }).click();
    await actions.dialog().getByText('Choose 9999-12-31 23:59 or earlier.').waitFor();
    await actions.dialog().getByLabel('Since').fill(since);
    await actions.dialog().getByRole('button', { name: 'Replay' }).click();
    await actions.dialog().waitFor({ state: 'detached' });
    await expect.poll(() => receiver.received.length).toBeGreaterThan(1);
    const [first] = receiver.received;
    await expect.poll(() => receiver.received.filter(({ id }) => id === first?.id).length).toBeGreaterThan(1);
    visitor.expectNoProblems();
  });

  test('the page of an endpoint and of a delivery fit on a phone', async () => {
    const receiver = await startReceiver((response) => response.writeHead(500).end('x'.repeat(2_000)));
    await actions.create(receiver, 'On a phone');
    await actions.sendTest(/500/);
    const path = new URL(page.url()).pathname;
    const phone = await world.open(world.owner, { viewport: { width: PHONE_WIDTH, height: 740 } });
    await phone.page.goto(path);
    await phone.page.getByRole('img', { name: /Attempts per hour: 0 delivered, 1 failed/ }).waitFor();
    await phone.page.getByRole('link', { name: 'endpoint.test' }).waitFor();
    await expectAccessibleInBothThemes(phone.page);
    await phone.page.getByRole('link', { name: 'endpoint.test' }).click();
    await phone.page.getByRole('heading', { name: 'Request' }).waitFor();
    await expectAccessibleInBothThemes(phone.page);
    phone.expectNoProblems();
  });
});
