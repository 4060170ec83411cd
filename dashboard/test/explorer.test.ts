import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { BROWSER_PATH } from './harness/launch.ts';
import { createServiceWorld } from './harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the explorer', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const token = await service.token(workspaceId, { mode: 'test', access: 'write' });
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
    await page.getByLabel('Test key').fill(token);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('request-id').waitFor();
    await expectAccessible(page);
  });

  test('sends the request that it shows as a curl command, and follows nextCursor', async () => {
    const page = await open(owner, path);
    await page.getByLabel('Test key').fill(token);
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

  test('sends an example write unchanged as a dry run, which changes nothing', async () => {
    const page = await open(owner, path);
    await page.getByLabel('Test key').fill(token);
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

  test('refuses a live key without sending it, and stores no key', async () => {
    const page = await open(owner, path);
    const live = await service.token(workspaceId);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.getByLabel('Test key').fill(live);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('This is a live key').waitFor();
    expect(sent.filter((url) => url.includes('/v1/'))).toEqual([]);
    await page.getByLabel('Test key').fill(token);
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
    expect(await page.getByLabel('Test key').inputValue()).toBe('');
  });
});
