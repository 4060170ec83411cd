import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { press } from '../harness/keyboard.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the overview', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const fresh = await dashboard.owner();
  const { workspaceId } = owner;
  const token = await service.token(workspaceId);
  for (let i = 0; i < 20; i++) await service.request(token, i % 5 === 0 ? '/v1/nothing' : '/v1/audits');
  const createdAt = new Date(Date.now() - 3_600_000).toISOString();
  const seed = (name: string, row: object) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), [
      { id: `${name}_1`, createdAt, companyId: 'companies_1', ...row },
    ]);
  await seed('companies', { name: 'Acme' });
  await seed('audits', { headlineScore: 64, completedAt: createdAt });
  await seed('mentions', { sentiment: 'negative' });
  await seed('content', { status: 'in_review' });
  const olderAt = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const imported = await dashboard.owner();
  const seedImported = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
    seedRecords(
      service.pool,
      imported.workspaceId,
      resourceNamed(name),
      rows.map((row) => ({ companyId: 'companies_1', ...row })),
    );
  await seedImported('companies', [{ id: 'companies_1', name: 'Acme', createdAt }]);
  // All were created at once, as by an import.
  await seedImported('audits', [
    { id: 'audits_1', headlineScore: 81, completedAt: createdAt, createdAt },
    { id: 'audits_2', headlineScore: 17, completedAt: olderAt, createdAt },
  ]);
  await seedImported('mentions', [
    { id: 'mentions_1', title: 'The newer mention', publishedAt: createdAt, createdAt },
    { id: 'mentions_2', title: 'The older mention', publishedAt: olderAt, createdAt },
  ]);
  await service.pool.query(
    `insert into record_counts (workspace_id, resource, company_id, records) values ($1, 'audits', '', 1), ($2, 'audits', '', 2)`,
    [workspaceId, imported.workspaceId],
  );
  await service.pool.query(
    `insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
     values ($1, date_trunc('hour', now()) - interval '10 days', 'live', 3, 10, 0)`,
    [workspaceId],
  );

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)(
    'is accessible and fits, with traffic and in a new workspace: %s, %i px',
    async (theme, width) => {
      const page = await open(owner, `/w/${workspaceId}`, { theme, width });
      await page.getByRole('img', { name: /Requests per hour: 20 live, 0 test, 4 failed/ }).waitFor();
      await page.getByRole('img', { name: /Headline score over time\. Acme: from 64 to 64/ }).waitFor();
      await expectAccessible(page);
      const empty = await open(fresh, `/w/${fresh.workspaceId}`, { theme, width });
      await empty.getByRole('heading', { name: 'Get started' }).waitFor();
      await expectAccessible(empty);
    },
  );

  test('links each sentiment to the mentions that have it', async () => {
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('link', { name: 'Negative', exact: true }).press('Enter');
    await page.waitForURL(/\/data\/mentions\?sentiment=negative$/);
    await page.getByText('1 mention', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Positive', exact: true }).press('Enter');
    await page.getByText('No mentions match these filters').waitFor();
  });

  test('shows the audits completed last and the mentions published last', async () => {
    const page = await open(imported, `/w/${imported.workspaceId}`);
    const linked = (name: string) =>
      page
        .locator(`a[href*="/data/${name}/"]`)
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1)));
    await expect.poll(() => linked('audits')).toEqual(['audits_1', 'audits_2']);
    await expect.poll(() => linked('mentions')).toEqual(['mentions_1', 'mentions_2']);
  });

  test('loads the code of the plots from its own file, and nothing moves when the file is late', async () => {
    const page = await open(owner, '/account');
    let arrive = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/\/assets\/uplot-[^/]*\.js$/, async (route) => {
      await late;
      await route.continue();
    });
    await page.goto(page.url().replace('/account', `/w/${workspaceId}`));
    const plot = page.getByRole('img', { name: /Requests per hour/ });
    await plot.waitFor();
    await page.getByRole('img', { name: /Headline score over time/ }).waitFor();
    await page.getByRole('link', { name: 'Acme' }).first().waitFor();
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('section, [role=img]')].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [x, y, width, height].map(Math.round).join(' ');
        }),
      );
    const before = await places();
    expect(await plot.locator('canvas').count()).toBe(0);
    arrive();
    await plot.locator('canvas').waitFor();
    expect(await places()).toEqual(before);
  });

  test('shows the chosen time range, also after a reload', async () => {
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('radio', { name: '30 days' }).click();
    await page.getByRole('heading', { name: 'Requests per day' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Requests per day' }).waitFor();
  });

  test('compares its figures with the time before them while those of another range load', async () => {
    const page = await open(owner, `/w/${workspaceId}?range=7d`);
    await page.getByText('+100% from the previous 7 days').waitFor();
    // A response that never comes.
    await page.route(/\/traffic\?range=90d/, () => undefined);
    const sent = page.waitForRequest(/\/traffic\?range=90d/);
    await page.getByRole('radio', { name: '90 days' }).click();
    await sent;
    await page.getByRole('radio', { name: '90 days', checked: true }).waitFor();
    expect(await page.getByText('from the previous').textContent()).toBe('+100% from the previous 7 days');
  });

  test('links from the checklist to each step, and shows no empty plots', async () => {
    const page = await open(fresh, `/w/${fresh.workspaceId}`);
    await page.getByRole('link', { name: 'Open the explorer' }).waitFor();
    expect(await page.getByRole('img').count()).toBe(0);
    await page.getByRole('link', { name: 'Create key' }).click();
    await page.waitForURL(/\/keys\?create=test/);
  });

  test('offers a viewer only what the role allows', async () => {
    const viewer = await dashboard.member(fresh.workspaceId, 'viewer');
    const page = await open(viewer, `/w/${fresh.workspaceId}`);
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await page.getByText('Owners and admins create keys and import data.').waitFor();
    expect(await page.getByRole('link', { name: 'Create key' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Go to companies' }).count()).toBe(0);
    await expectAccessible(page);
    await page.goto(`/w/${fresh.workspaceId}/data/companies`);
    await page.getByText('Owners and admins can create or import them.').waitFor();
    expect(await page.getByText('Create one here').count()).toBe(0);
    await page.goto(`/w/${fresh.workspaceId}/settings?tab=members`);
    await page.getByText('Viewers can see records, keys and the log, but change nothing.').waitFor();
  });

  test('leads from a bar to the requests of its hour in the log, and from its red part to the failed ones', async () => {
    const page = await open(owner, `/w/${workspaceId}?range=24h`);
    const canvas = page.getByRole('img', { name: /Requests per hour: 20 live/ }).locator('.u-over');
    const box = await canvas.boundingBox();
    if (box === null) throw new Error('The plot has no size.');
    // The bar of the present hour is the last of 24.
    const x = box.width - box.width / 48;
    await canvas.click({ position: { x, y: box.height / 2 } });
    await page.waitForURL(/\/log\?/);
    await page.getByText(/^20 entries$/).waitFor();
    await page.goBack();
    // 4 of 20 failed, so the lowest part of the bar is red.
    await canvas.click({ position: { x, y: box.height - 3 } });
    await page.waitForURL(/status=failed/);
    await page.getByText(/^4 entries$/).waitFor();
    const search = new URL(page.url()).searchParams;
    const [from, to] = ['from', 'to'].map((name) => Date.parse(search.get(name) ?? ''));
    expect((to ?? 0) - (from ?? 0)).toBe(3_600_000);
    await page.goto(page.url());
    await page.getByText(/^4 entries$/).waitFor();
  });

  test('leads to the same by keyboard: from the table of the bars, and from the figures', async () => {
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('heading', { name: 'Requests per hour' }).waitFor();
    await press(page, 'Show as table');
    await expectAccessible(page);
    await press(page, '4 failed');
    await page.waitForURL(/\/log\?.*status=failed/);
    await page.getByText(/^4 entries$/).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Requests per hour' }).waitFor();
    await press(page, /^20%\. Show failed live requests in the log$/);
    await page.waitForURL(/\/log\?.*status=failed/);
    await page.getByText(/^4 entries$/).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Requests per hour' }).waitFor();
    await press(page, /^20\. Show live requests in the log$/);
    await page.getByText(/^20 entries$/).waitFor();
  });

  test('of another workspace shows nothing of this one while it loads', async () => {
    const created = await owner.send('POST', '/workspaces', { name: 'Second' });
    const { id } = created.json<{ id: string }>();
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('img', { name: /Requests per hour: 20 live/ }).waitFor();
    // A response that never comes.
    await page.route(new RegExp(`${id}/traffic`), () => undefined);
    await page.getByRole('button', { name: /^Workspace / }).click();
    const [overview] = await Promise.all([
      page.waitForResponse(new RegExp(`${id}/overview`)),
      page.getByRole('menuitemradio', { name: /Second/ }).click(),
    ]);
    await overview.finished();
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.getByRole('img', { name: /Requests per hour/ }).count()).toBe(0);
  });

  test('links from a status to the content with this status', async () => {
    const page = await open(owner, `/w/${workspaceId}`);
    await page.getByRole('link', { name: /In review/ }).click();
    await page.waitForURL(/data\/content\?status=in_review/);
    await page.getByText('1 content item').waitFor();
  });
});
