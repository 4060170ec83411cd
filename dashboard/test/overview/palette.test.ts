import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the command palette', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const stranger = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const home = `/w/${workspaceId}`;
  const { keyId } = await service.issue(workspaceId, { name: 'Nightly crawler' });
  const createdAt = new Date(Date.now() - 3_600_000).toISOString();
  const seed = (workspace: string, name: string, row: object) =>
    seedRecords(service.pool, workspace, resourceNamed(name), [
      { id: `${name}_1`, createdAt, companyId: 'companies_1', ...row },
    ]);
  await seed(workspaceId, 'companies', { name: 'Orrin Health' });
  await seed(workspaceId, 'mentions', { title: 'Orrin opens a clinic' });
  await seed(stranger.workspaceId, 'companies', { name: 'Orrin of somebody else' });

  const input = (page: Page) => page.getByRole('combobox', { name: 'Go to' });
  const ask = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('heading', { level: 1, name: /^(?!Loading$)/ }).waitFor();
    await page.keyboard.press('Control+k');
    await input(page).fill(text);
  };
  const group = (page: Page, name: string) => page.getByRole('group', { name });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('is accessible with and without results, and fits: %s, %i px', async (theme, width) => {
    const page = await open(owner, home, { theme, width });
    await ask(page, '');
    await group(page, 'Pages').waitFor();
    await expectAccessible(page);
    await input(page).fill('orrin');
    await group(page, 'Companies').waitFor();
    await expectAccessible(page);
    await input(page).fill('nothing has this name');
    await page.getByText('No results', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test('finds a company, a record, a key, a member, a page of the documentation and an action, by keyboard', async () => {
    const page = await open(owner, home);
    for (const [text, heading, label, address] of [
      ['orrin h', 'Companies', 'Orrin Health', /\/data\/companies\/companies_1$/],
      ['opens a clinic', 'Mentions', 'Orrin opens a clinic', /\/data\/mentions\/mentions_1$/],
      ['nightly', 'API keys', 'Nightly crawler', new RegExp(`/keys/${keyId}$`)],
      [viewer.email, 'Members', viewer.email, /\/settings\?tab=members$/],
      ['create key', 'Actions', 'Create key', /\/keys\?create=true$/],
      ['new mention', 'Actions', 'Create mention', /\/data\/mentions\?dialog=create$/],
      ['upload companies', 'Actions', 'Import companies', /\/data\/companies\?dialog=import$/],
      ['download content', 'Actions', 'Export content', /\/data\/content\?dialog=export$/],
      ['export audit log', 'Actions', 'Export the audit log', /\/log\?dialog=export$/],
    ] as const) {
      await page.goto(home);
      await ask(page, text);
      await group(page, heading).getByText(label).first().waitFor();
      await page.getByText('Searching…').waitFor({ state: 'detached' });
      while (!(await selected(page)).includes(label)) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(address);
    }
    await page.goto(home);
    await ask(page, 'pagination');
    await group(page, 'Documentation').getByText('Pagination').first().waitFor();
    const [docs] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
    await docs.waitForURL(/\/docs\/pagination$/);
  });

  test('selects the first result, not the link to all, if the keys come last', async () => {
    const page = await open(owner, home);
    const release = Promise.withResolvers<void>();
    await page.route(/\/keys\?/, async (route) => {
      await release.promise;
      await route.continue();
    });
    const found = ['/company-names', '/data/mentions', '/data/content', '/members'].map((path) =>
      page.waitForResponse((response) => response.url().includes(path)),
    );
    await ask(page, 'nightly');
    await Promise.all(found);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    release.resolve();
    await group(page, 'API keys').getByText('Nightly crawler').waitFor();
    await page.getByText('Show all results').waitFor();
    expect(await selected(page)).toContain('Nightly crawler');
  });

  test('shows all results at once, so that the first row is selected and Enter opens it', async () => {
    const page = await open(owner, home);
    const release = Promise.withResolvers<void>();
    await page.route(/\/company-names/, async (route) => {
      await release.promise;
      await route.continue();
    });
    const found = ['/data/mentions', '/data/content', '/members', '/keys'].map((path) =>
      page.waitForResponse((response) => response.url().includes(path)),
    );
    await ask(page, 'orrin');
    await Promise.all(found);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.getByRole('option').count()).toBe(0);
    release.resolve();
    await group(page, 'Mentions').waitFor();
    expect(await selected(page)).toContain('Orrin Health');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/data\/companies\/companies_1$/);
  });

  test('opens the dialog that an action names', async () => {
    const page = await open(owner, home);
    await ask(page, 'invite');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Invite a member' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/tab=members$/);
    for (const [text, dialog, address] of [
      ['create company', 'Create a company', /\/data\/companies$/],
      ['import companies', 'Import companies', /\/data\/companies$/],
      ['export companies', 'Export companies', /\/data\/companies$/],
      ['export the audit log', 'Export the audit log', /\/log$/],
    ] as const) {
      await ask(page, text);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.reload();
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.waitForURL(address);
    }
    await ask(page, 'new workspace');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New workspace' }).getByLabel('Name').fill('Third');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Workspace Third' }).waitFor();
    await page.goto(home);
    await ask(page, 'change limits');
    await page.keyboard.press('Enter');
    await page.getByLabel('Live requests per month').waitFor();
  });

  test('keeps the filters of the list that is shown when an action opens a dialog of it, and no others', async () => {
    const page = await open(owner, home);
    for (const [from, text, dialog, address] of [
      [
        'mentions?sentiment=positive',
        'export mentions',
        'Export mentions',
        /mentions\?sentiment=positive&dialog=/,
      ],
      [
        'mentions?companyId=companies_1',
        'create mention',
        'Create a mention',
        /\?companyId=companies_1&dialog=/,
      ],
      ['content?companyId=companies_1', 'export mentions', 'Export mentions', /\/mentions\?dialog=export$/],
      [
        '../log?status=failed',
        'export the audit',
        'Export the audit log',
        /\/log\?status=failed&dialog=export$/,
      ],
    ] as const) {
      await page.goto(`${home}/data/${from}`);
      await ask(page, text);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: dialog }).waitFor();
      expect(page.url()).toMatch(address);
      if (text === 'create mention')
        await page.getByRole('dialog').getByText('Orrin Health', { exact: true }).waitFor();
    }
  });

  test('finds nothing by letters in the middle of words, and nothing of other workspaces', async () => {
    const page = await open(owner, home);
    await ask(page, 'docs');
    await group(page, 'Documentation').waitFor();
    expect(await page.getByText('Account settings').count()).toBe(0);
    await input(page).fill('orrin');
    await group(page, 'Companies').getByText('Orrin Health').waitFor();
    expect(await page.getByText('Account settings').count()).toBe(0);
    expect(await page.getByText('somebody else').count()).toBe(0);
    expect(await group(page, 'Workspaces').count()).toBe(0);
  });

  test('offers a viewer no action that the role does not allow', async () => {
    // Owners of any workspace may create one.
    await service.pool.query(
      `delete from members m using users u where u.id = m.user_id and u.email = $1 and m.workspace_id <> $2`,
      [viewer.email, workspaceId],
    );
    const page = await open(viewer, home);
    await ask(page, '');
    await group(page, 'Actions').getByText('Show failed requests').waitFor();
    for (const label of [
      'Create key',
      'Create company',
      'Import companies',
      'Invite a member',
      'Change limits',
      'New workspace',
    ])
      expect(await page.getByText(label, { exact: true }).count(), label).toBe(0);
    for (const dialog of ['create', 'import']) {
      await page.goto(`${home}/data/companies?dialog=${dialog}`);
      await page.waitForURL(/\/companies$/);
      await page.getByRole('link', { name: 'Orrin Health' }).waitFor();
      expect(await page.getByRole('dialog').count(), dialog).toBe(0);
    }
  });

  test('sends one search for a text that is typed quickly', async () => {
    const page = await open(owner, home);
    await ask(page, '');
    const searches: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/company-names')) searches.push(searchParams.get('search') ?? '');
    });
    // The page's clock stands still, so a slow machine types as quickly as a fast one.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    await page.keyboard.type('orrin health');
    await page.clock.resume();
    await group(page, 'Companies').getByText('Orrin Health').waitFor();
    expect(searches).toEqual(['orrin health']);
  });
});

/** The text of the selected option. */
const selected = (page: Page): Promise<string> =>
  page.evaluate(() => document.querySelector('[role=option][aria-selected=true]')?.textContent ?? '');
