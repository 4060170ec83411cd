import { PASSWORD } from '@svc/service/harness/dashboard-http.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { failToReadAgain, readAgain } from '../harness/background-read.ts';
import { seedWebhook } from '../harness/pages.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('nothing is lost', () => {
  let world: World;
  let ada: Person;
  let page: Page;
  let contentId: string;
  let keys = 0;
  const send = async (from: Page, method: string, path: string, data?: object) => {
    const answer = await from.request.fetch(`/dashboard/api/workspaces/${ada.workspaceId}/data${path}`, {
      method,
      ...(data === undefined ? {} : { data }),
      headers: { origin: world.url, ...(method === 'POST' ? { 'idempotency-key': `key-${++keys}` } : {}) },
    });
    expect(answer.ok()).toBe(true);
    return (await answer.json()) as { readonly id: string };
  };
  const open = (id = '') => page.goto(`/w/${ada.workspaceId}/data/content${id}`);
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    ({ page } = await world.signedIn(ada));
    const { id: companyId } = await send(page, 'POST', '/companies', { name: 'Acme' });
    ({ id: contentId } = await send(page, 'POST', '/content', { companyId, title: 'First words' }));
    await seedRecords(world.pool, ada.workspaceId, resourceNamed('companies'), [
      { id: 'com_gone', name: 'Gone', domain: null, createdAt: '2026-03-01T09:30:00Z' },
    ]);
    await seedWebhook(world, ada.workspaceId, 'we_gone');
  });

  test('that was typed when the session ended, and nothing that somebody else has changed meanwhile', async () => {
    const ben = await world.person('Ben');
    await world.join(ada.workspaceId, ben, 'owner');
    const other = (await world.signedIn(ben)).page;
    await open(`/${contentId}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Best words');
    await world.pool.query('delete from sessions where user_id = $1', [ada.userId]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Email address').fill(ada.email);
    await send(other, 'PATCH', `/content/${contentId}`, { url: 'https://y.example/' });
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Continue with the latest version' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Best words' }).waitFor();
    expect(await send(other, 'GET', `/content/${contentId}`)).toMatchObject({
      title: 'Best words',
      url: 'https://y.example/',
    });
  });

  test('that was typed into a record that somebody deleted meanwhile', async () => {
    const { id: companyId } = await send(page, 'POST', '/companies', { name: 'Borealis' });
    const { id } = await send(page, 'POST', '/content', { companyId, title: 'Deleted words' });
    await open(`/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Kept words');
    await world.pool.query('delete from content where id = $1', [id]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Somebody else deleted this record').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept words');
  });

  test('of a change, when a read that began before it ends after it', async () => {
    const { id: companyId } = await send(page, 'POST', '/companies', { name: 'Cumulus' });
    const mention = (title: string) =>
      send(page, 'POST', '/mentions', {
        ...{ companyId, title, source: 'news.example.com', url: 'https://news.example.com/1' },
        ...{ excerpt: '', sentiment: 'positive', publishedAt: '2026-03-01T09:30:00Z' },
      });
    await mention('Deleted mention');
    await mention('Kept mention');
    const { page: list } = await world.signedIn(ada);
    await list.goto(`/w/${ada.workspaceId}/data/mentions`);
    const row = (title: string) => list.getByRole('link', { name: title });
    await row('Deleted mention').waitFor();
    await mention('Newer mention');
    const release = await answerLater(list, /data\/mentions\?.*direction=before/);
    await list.getByRole('button', { name: 'Load newer' }).click();
    await list.getByRole('checkbox', { name: 'Select Deleted mention' }).click();
    await list.getByRole('button', { name: 'Delete selected' }).click();
    await list.getByRole('button', { name: 'Delete 1 mention' }).click();
    await row('Deleted mention').waitFor({ state: 'detached' });
    release();
    await list.getByText('1 newer mention.', { exact: true }).waitFor();
    await row('Newer mention').waitFor();
    expect(await row('Kept mention').count()).toBe(1);
    expect(await row('Deleted mention').count()).toBe(0);
  });

  test('of a change of a record, when a read that began before it ends after it', async () => {
    const { id: companyId } = await send(page, 'POST', '/companies', { name: 'Dorado' });
    const { id } = await send(page, 'POST', '/content', { companyId, title: 'Late words' });
    const { page: record } = await world.signedIn(ada);
    await record.clock.install();
    await record.goto(`/w/${ada.workspaceId}/data/content/${id}`);
    await record.getByRole('button', { name: 'In review' }).waitFor();
    const path = new RegExp(`/data/content/${id}$`);
    const release = await answerLater(record, path);
    const [read] = await Promise.all([record.waitForRequest(path), readAgain(record)]);
    const isRead = (request: Request) => request === read;
    const end = Promise.race([
      record.waitForEvent('requestfinished', isRead),
      record.waitForEvent('requestfailed', isRead),
    ]);
    await record.getByRole('button', { name: 'In review' }).click();
    await record.getByText('Status changed to in review.', { exact: true }).waitFor();
    release();
    await end;
    await record.getByRole('button', { name: 'Scheduled' }).click();
    await record.getByText('Status changed to scheduled.', { exact: true }).waitFor();
  });

  test.each([
    { of: 'a record', path: '/data/companies/com_gone', label: 'Name', table: 'companies' },
    { of: 'a webhook', path: '/webhooks/we_gone', label: 'Description', table: 'webhook_endpoints' },
  ])('that was typed into $of, when the page finds out that somebody deleted it', async (gone) => {
    const { path, label, table } = gone;
    const visitor = await world.signedIn(ada);
    await visitor.page.clock.install();
    await visitor.page.goto(`/w/${ada.workspaceId}${path}`);
    await visitor.page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = visitor.page.getByRole('dialog');
    await dialog.getByLabel(label).fill('Kept words');
    await world.pool.query(`delete from ${table} where workspace_id = $1 and id like '%_gone'`, [
      ada.workspaceId,
    ]);
    const found = visitor.page.waitForResponse((read) => read.url().endsWith(path) && read.status() === 404);
    await readAgain(visitor.page);
    await found;
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel(label).inputValue()).toBe('Kept words');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await visitor.page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  test('that was typed on the page of a link, or is such a link, when a read in the background fails', async () => {
    const grace = await world.person('Grace');
    await world.pool.query('delete from members where user_id = $1', [grace.userId]);
    await world.join(ada.workspaceId, grace, 'viewer');
    const [owner, reset, invited] = [await world.signedIn(ada), await world.visitor(), await world.visitor()];
    for (const visitor of [owner, reset, invited]) await visitor.page.clock.install();
    const copyLink = async (): Promise<string> => {
      await owner.page.getByRole('button', { name: 'Copy link' }).click();
      return owner.page.evaluate('navigator.clipboard.readText()');
    };
    await owner.page.goto(`/w/${ada.workspaceId}/settings?tab=members`);
    await owner.page.getByRole('button', { name: 'Reset password of Grace' }).click();
    await owner.page.getByRole('button', { name: 'Create reset link' }).click();
    await owner.page.getByRole('dialog', { name: 'Reset link for grace@example.com' }).waitFor();
    await failToReadAgain(owner.page, '/members');

    await reset.page.goto(await copyLink());
    await reset.page.getByLabel('New password').fill('another horse battery staple');
    await failToReadAgain(reset.page, '/password-reset/read', 1);
    await reset.page.getByRole('button', { name: 'Set password' }).click();
    await reset.page.getByRole('heading', { name: 'Your password is set' }).waitFor();

    await owner.page.getByRole('button', { name: 'Done' }).click();
    await owner.page.getByRole('button', { name: 'Invite' }).click();
    await owner.page.getByLabel('Email address').fill('heidi@example.com');
    await owner.page.getByRole('button', { name: 'Create link' }).click();
    await invited.page.goto(await copyLink());
    await invited.page.getByLabel('Your name').fill('Heidi');
    await invited.page.getByLabel('Password').fill(PASSWORD);
    await failToReadAgain(invited.page, '/invitations/read');
    await invited.page.getByRole('button', { name: 'Join' }).click();
    await invited.page.getByRole('button', { name: 'Account of Heidi' }).waitFor();
  });

  test('but a response: the list is read again after a deletion whose outcome is unknown', async () => {
    await open();
    await page.route('**/batch/delete', async (route) => {
      await route.fetch();
      await route.abort();
    });
    const box = page.getByRole('checkbox', { name: 'Select Best words' });
    await box.click();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('button', { name: 'Delete 1 content item' }).click();
    await page.getByText('1 content item not confirmed: the last request may').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await box.waitFor({ state: 'detached' });
  });
});

/** The response to the first read of the path comes when the result is called, with the data of now. */
async function answerLater(page: Page, path: RegExp): Promise<() => void> {
  const late = Promise.withResolvers<void>();
  let first = true;
  await page.route(path, async (route) => {
    if (route.request().method() !== 'GET' || !first) return route.fallback();
    first = false;
    const response = await route.fetch();
    await late.promise;
    // The page may have cancelled the request.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return () => late.resolve();
}
