import { PASSWORD } from '@svc/service/harness/dashboard-http.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
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
