import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { BROWSER_PATH } from './harness/launch.ts';
import { createServiceWorld } from './harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a list', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, url, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const base = `/w/${workspaceId}`;
  const AUDITS = 170;
  const at = (minute: number): string => new Date(Date.now() - (400 - minute) * 60_000).toISOString();
  await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [
    { id: 'com_a', name: 'Acme', createdAt: at(0) },
  ]);
  const seedAudit = (id: string, headlineScore: number, createdAt: string) =>
    seedRecords(service.pool, workspaceId, resourceNamed('audits'), [
      { id, companyId: 'com_a', headlineScore, completedAt: createdAt, createdAt },
    ]);
  await seedRecords(
    service.pool,
    workspaceId,
    resourceNamed('audits'),
    Array.from({ length: AUDITS }, (_, i) => ({
      id: `aud_${String(i).padStart(3, '0')}`,
      companyId: 'com_a',
      headlineScore: i % 101,
      completedAt: at(i),
      createdAt: at(i),
    })),
  );

  test('that was loaded more than a day ago is loaded again from the start with “Try again”', async () => {
    const page = await open(owner, `${base}/data/audits`);
    await page.getByText('50 audits shown').waitFor();
    service.clock.now += 25 * 60 * 60 * 1000;
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('This list was loaded more than a day ago').waitFor();
    expect(await page.getByText('50 audits shown').count(), 'what is shown stays').toBe(1);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This list was loaded more than a day ago').waitFor({ state: 'detached' });
    await page.getByText('50 audits shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('150 audits shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText(`${AUDITS} audits`, { exact: true }).waitFor();
  });

  test('does not show the error of another sort', async () => {
    const page = await open(owner, `${base}/data/audits`);
    await page.getByText('50 audits shown').waitFor();
    await page.route(/\/data\/audits\?.*cursor=/, (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        body: JSON.stringify({
          error: { code: 'invalid_parameter', message: 'Something about this order.' },
        }),
      }),
    );
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('Something about this order.').waitFor();
    await page.getByLabel('Sort by').selectOption('score-descending');
    await page.getByRole('row').nth(1).getByText('100', { exact: true }).waitFor();
    expect(await page.getByText('Something about this order.').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(1);
  });

  test('is at its place after Back: from another page, and while another order loads', async () => {
    const page = await open(owner, `${base}/data/audits`);
    await page.getByText('50 audits shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('150 audits shown').waitFor();
    const shown = (): Promise<{ readonly place: number; readonly filled: boolean }> =>
      page.evaluate(() => ({
        place: scrollY,
        filled: [0.2, 0.6, 0.95].every(
          (part) =>
            document.elementFromPoint(innerWidth / 2, innerHeight * part)?.closest('tr[aria-rowindex]') !=
            null,
        ),
      }));
    const atItsPlace = { place: 3000, filled: true };
    await page.evaluate(() => scrollTo(0, 3000));
    await expect.poll(shown).toEqual(atItsPlace);

    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByRole('heading', { name: 'Explorer', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(shown).toEqual(atItsPlace);

    // A response that never comes.
    await page.route(/\/data\/audits\?.*sort=score/, () => undefined);
    await page.getByLabel('Sort by').selectOption('score-descending');
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await page.goBack();
    await expect.poll(shown).toEqual(atItsPlace);
  });

  test('offers to load newer records only if the sort puts them at the top', async () => {
    const page = await open(owner, `${base}/data/audits`);
    const newer = page.getByRole('button', { name: 'Load newer' });
    await newer.waitFor();
    for (const order of ['score-descending', 'score-ascending', 'created-ascending']) {
      await page.getByLabel('Sort by').selectOption(order);
      await page.waitForURL(new RegExp(`sort=${order}`));
      await newer.waitFor({ state: 'detached' });
    }
    await page.getByLabel('Sort by').selectOption('created-descending');
    await newer.click();
    await page.getByText('No newer audits.').first().waitFor();
    await seedAudit('aud_newer', 5, new Date().toISOString());
    await newer.click();
    await page.getByText('1 newer audit.', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'aud_newer' }).waitFor();
  });

  test('has no newer records while its first page loads', async () => {
    const page = await open(owner, `${base}/data/audits?sort=score-descending`);
    await page.getByRole('row').nth(1).waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/audits\?.*sort=created-descending/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel('Sort by').selectOption('created-descending');
    await page.getByRole('button', { name: 'Load newer' }).click();
    release();
    await page.getByText('No newer audits.').first().waitFor();
  });

  test('that is live shows each entry once, however often live is switched off and on', async () => {
    const { token } = await service.issue(workspaceId, { name: 'crawler' });
    const call = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    await call('/v1/audits/aud_000');
    const page = await open(owner, `${base}/log`);
    await page.getByText('/v1/audits/aud_000').first().waitFor();
    const live = page.getByRole('button', { name: /^(?:Go live|Live)$/ });
    // Delay each response, so that the next request starts before it.
    const held: (() => void)[] = [];
    let late = true;
    await page.route(/\/log\?.*direction=before/, async (route) => {
      if (late) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await live.click();
    await expect.poll(() => held.length).toBe(1);
    for (let i = 1; i <= 5; i++) await call(`/v1/audits/aud_live_${i}`);
    for (let round = 0; round < 3; round++) {
      await live.click();
      await live.click();
    }
    late = false;
    for (const release of held) release();
    await page.getByText('/v1/audits/aud_live_5').first().waitFor();
    await call('/v1/audits/aud_last');
    await page.getByText('/v1/audits/aud_last').first().waitFor();
    for (let i = 1; i <= 5; i++) {
      expect(await page.getByText(`/v1/audits/aud_live_${i}`, { exact: true }).count()).toBe(1);
    }
  });

  test('loads more while it is live', async () => {
    const { token } = await service.issue(workspaceId, { name: 'busy' });
    for (let i = 0; i < 120; i++) {
      await fetch(`${url}/v1/audits/aud_busy`, { headers: { authorization: `Bearer ${token}` } });
    }
    const page = await open(owner, `${base}/log?path=/v1/audits/aud_busy`);
    await page.getByText('50 entries shown').waitFor();
    await page.getByRole('button', { name: 'Go live' }).click();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('120 entries', { exact: true }).waitFor();
  });
});

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the explorer', async () => {
  if (BROWSER_PATH === undefined) return;
  const { dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();

  test('keeps the values of each operation, and carries none to another', async () => {
    const page = await open(owner, `/w/${owner.workspaceId}/explorer`);
    const endpoint = page.getByLabel('Endpoint');
    await endpoint.selectOption('GET /v1/audits');
    await page.getByLabel('limit').fill('7');
    await page.getByLabel('companyId').fill('com_a');
    await endpoint.selectOption('GET /v1/mentions');
    expect(await page.getByLabel('limit').inputValue()).toBe('');
    expect(await page.getByLabel('companyId').inputValue()).toBe('');
    expect(await page.getByText('limit=7').count()).toBe(0);
    await endpoint.selectOption('GET /v1/audits');
    expect(await page.getByLabel('limit').inputValue()).toBe('7');
  });
});
