import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { goTo, press } from './harness/keyboard.ts';
import { BROWSER_PATH } from './harness/launch.ts';
import { createServiceWorld } from './harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the explorer', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const token = await service.token(workspaceId, { mode: 'test', access: 'write' });
  const enterKey = async (page: Page, key: string): Promise<void> => {
    await page.getByRole('radio', { name: /^A test key/ }).check();
    await page.getByLabel('Test key', { exact: true }).fill(key);
  };
  const path = `/w/${workspaceId}/explorer`;
  const createdAt = new Date(Date.now() - 60_000).toISOString();
  await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [
    { id: 'com_a', name: 'Acme', createdAt },
  ]);
  await seedRecords(
    service.pool,
    workspaceId,
    resourceNamed('audits'),
    Array.from({ length: 5 }, (_, i) => ({ id: `aud_${i}`, companyId: 'com_a', createdAt })),
  );

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('is accessible and fits, before and after a response: %s, %i px', async (theme, width) => {
    const page = await open(owner, path, { theme, width });
    await page.getByRole('button', { name: 'Send request' }).waitFor();
    await expectAccessible(page);
    await enterKey(page, token);
    await expectAccessible(page);
    await page.getByRole('radio', { name: /^You/ }).check();
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('request-id').waitFor();
    await expectAccessible(page);
  });

  test('shows the response next to a long request, without scrolling', async () => {
    const page = await open(owner, path, { width: 1280 });
    await page.getByLabel('Endpoint').selectOption('POST /v1/mentions');
    await page.getByLabel('Endpoint').selectOption('GET /v1/mentions');
    await page.setViewportSize({ width: 1280, height: 600 });
    await page.getByRole('button', { name: 'Send request' }).click();
    const status = page.getByRole('status').filter({ hasText: /^200/ });
    await status.waitFor();
    const box = await status.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(580);
    await expectAccessible(page);
  });

  test('sends the request that it shows as a curl command, and follows nextCursor', async () => {
    const page = await open(owner, path);
    await page.getByLabel(/^limit/).fill('2');
    expect(await page.getByLabel('curl', { exact: true }).textContent()).toContain("/v1/audits?limit=2'");
    // Enter in a field sends the request.
    await page.getByLabel(/^limit/).press('Enter');
    const answer = page.getByLabel('response body', { exact: true });
    await answer.getByText('"aud_4"').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await answer.getByText('"aud_2"').waitFor();
    expect(await page.getByLabel('curl', { exact: true }).textContent()).toContain('cursor=');
    await page.getByRole('button', { name: 'Next page' }).click();
    await answer.getByText('"aud_0"').waitFor();
    expect(await page.getByRole('button', { name: 'Next page' }).count()).toBe(0);
  });

  test('follows the request of the response, also if the form was changed since', async () => {
    const page = await open(viewer, path);
    const answer = page.getByLabel('response body', { exact: true });
    await page.getByLabel(/^limit/).fill('2');
    await page.getByRole('button', { name: 'Send request' }).click();
    await answer.getByText('"aud_4"').waitFor();
    await page.getByLabel(/^sort/).selectOption('score-descending');
    await page.getByRole('button', { name: 'Next page' }).click();
    await answer.getByText('"aud_2"').waitFor();
    expect(await page.getByLabel('curl', { exact: true }).textContent()).not.toContain('sort=');
  });

  test('continues after the position of a page of changes', async () => {
    const other = await dashboard.owner();
    const key = await service.token(other.workspaceId, { access: 'write' });
    const newest = await service.request(key, '/v1/changes?after=now');
    for (const name of ['Bolt', 'Cask', 'Dune'])
      await service.request(key, '/v1/companies', { method: 'POST', payload: { name } });
    const page = await open(other, `/w/${other.workspaceId}/explorer`);
    const answer = page.getByLabel('response body', { exact: true });
    await page.getByLabel('Endpoint').selectOption('GET /v1/changes');
    await page.getByLabel(/^limit/).fill('1');
    const { pagination } = newest.json<{ pagination: { position: string } }>();
    await page.getByLabel(/^after/).fill(pagination.position);
    await page.getByRole('button', { name: 'Send request' }).click();
    for (const name of ['Bolt', 'Cask', 'Dune']) {
      await answer.getByText(`"${name}"`).waitFor();
      if (name !== 'Dune') await page.getByRole('button', { name: 'Next page' }).click();
    }
    expect(await page.getByRole('button', { name: 'Next page' }).count()).toBe(0);
  });

  test('keeps what was typed when the person leaves the page and comes back', async () => {
    const page = await open(owner, path);
    const endpoint = page.getByLabel('Endpoint');
    await endpoint.selectOption('POST /v1/companies');
    await page.getByLabel('Body').fill('{"name": "Typed by hand"}');
    await page.getByRole('link', { name: 'Companies' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
    await page.goBack();
    await page.getByLabel('Body').waitFor();
    expect(await endpoint.inputValue()).toBe('POST /v1/companies');
    expect(await page.getByLabel('Body').inputValue()).toBe('{"name": "Typed by hand"}');
    const reset = page.getByRole('button', { name: 'Reset' });
    await reset.click();
    expect(await page.getByLabel('Body').inputValue()).toContain('"name": "Acme');
    expect(await reset.getAttribute('aria-disabled')).toBe('true');
  });

  test('sends an example write unchanged as a dry run, which changes nothing', async () => {
    const page = await open(owner, path);
    await enterKey(page, token);
    await page.getByLabel('Endpoint').selectOption('POST /v1/audits');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('dry-run').waitFor();
    await page.getByText('201', { exact: true }).waitFor();
    const { rows } = await service.pool.query(
      'select count(*) as records from audits where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual([{ records: 5 }]);
  });

  test('sends reads and dry runs as the member, by keyboard and without a key', async () => {
    const page = await open(owner, path);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await goTo(page, /^GET \/v1\/audits/);
    await page.getByLabel('Endpoint').selectOption('POST /v1/audits');
    await press(page, 'Send request');
    await page.getByText('dry-run').waitFor();
    await page.getByText('201', { exact: true }).waitFor();
    expect(sent.filter((url) => url.startsWith('/v1/'))).toEqual([]);
    const { rows } = await service.pool.query(
      `select (select count(*) from audits where workspace_id = $1) as records,
        (select count(*) from audit_log where workspace_id = $1 and kind = 'api.request') as entries`,
      [workspaceId],
    );
    expect(rows).toEqual([{ records: 5, entries: 0 }]);
    await page.getByLabel('Endpoint').selectOption('GET /v1/me');
    await page.getByRole('button', { name: 'Send request' }).focus();
    await page.getByRole('tooltip', { name: /needs an API key/ }).waitFor();
  });

  test('lets a viewer read, and says why they cannot try a write', async () => {
    const page = await open(viewer, path);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByLabel('response body', { exact: true }).getByText('"aud_4"').waitFor();
    await page.getByLabel('Endpoint').selectOption('POST /v1/audits');
    await page.getByLabel('Endpoint').focus();
    await goTo(page, 'Send request');
    await page.getByRole('tooltip', { name: /Only owners and admins can change records/ }).waitFor();
  });

  test('keeps the focus on a button while the code of its tooltip loads', async () => {
    const page = await open(viewer, path);
    const load = Promise.withResolvers<void>();
    await page.route(/\/tooltip-[^/]*\.js$/, async (route) => {
      await load.promise;
      await route.continue();
    });
    const button = page.getByRole('button', { name: 'Send request' });
    const asked = page.waitForRequest(/\/tooltip-[^/]*\.js$/);
    await page.getByLabel('Endpoint').selectOption('POST /v1/audits');
    await asked;
    await page.getByLabel('Endpoint').focus();
    await goTo(page, 'Send request');
    load.resolve();
    await page.getByRole('tooltip', { name: /Only owners and admins can change records/ }).waitFor();
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('does not send what has no end, also with a key, and stops a request that is no longer shown', async () => {
    const page = await open(owner, path);
    await enterKey(page, token);
    const endpoint = page.getByLabel('Endpoint');
    const send = page.getByRole('button', { name: 'Send request' });
    for (const id of ['GET /v1/changes/stream', 'GET /v1/audits/export']) {
      await endpoint.selectOption(id);
      expect(await send.getAttribute('aria-disabled'), id).toBe('true');
    }
    await send.focus();
    await page.getByRole('tooltip', { name: /too long for this page/ }).waitFor();
    await endpoint.selectOption('GET /v1/me');
    await send.click();
    await page.getByText('200', { exact: true }).waitFor();
    const wait = async (): Promise<void> => {
      await endpoint.selectOption('GET /v1/changes');
      await page.getByLabel(/^after/).fill('now');
      await page.getByLabel(/^wait/).fill('30');
      const sent = page.waitForRequest(/\/v1\/changes/);
      await send.click();
      await sent;
    };
    await wait();
    const stopped = () =>
      page.waitForEvent('requestfailed', (request) => /\/v1\/changes/.test(request.url()));
    await Promise.all([stopped(), endpoint.selectOption('GET /v1/me')]);
    await wait();
    await Promise.all([stopped(), page.getByRole('link', { name: 'Overview' }).click()]);
  });

  test('refuses a live key without sending it, and stores no key', async () => {
    const page = await open(owner, path);
    const live = await service.token(workspaceId);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await enterKey(page, live);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('This is a live key').waitFor();
    expect(sent.filter((url) => url.includes('/v1/'))).toEqual([]);
    await enterKey(page, token);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('request-id').waitFor();
    const kept = await page.evaluate(
      () =>
        JSON.stringify({ ...localStorage }) +
        JSON.stringify({ ...sessionStorage }) +
        location.href +
        JSON.stringify(history.state),
    );
    expect(kept).not.toContain(token);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByRole('radio', { name: /^A test key/ }).check();
    expect(await page.getByLabel('Test key', { exact: true }).inputValue()).toBe('');
  });
});
