import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { BROWSER_PATH } from './harness/launch.ts';
import { createServiceWorld } from './harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the pages of the data', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const base = `/w/${workspaceId}/data`;
  const at = (minute: number): string => new Date(Date.now() - (200 - minute) * 60_000).toISOString();
  const seed = (name: string, rows: Parameters<typeof seedRecords>[3]) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), rows);
  await seed('companies', [
    { id: 'com_a', name: 'Acme', createdAt: at(0) },
    { id: 'com_b', name: 'Borealis', createdAt: at(1) },
  ]);
  const AUDITS = 120;
  await seed(
    'audits',
    Array.from({ length: AUDITS }, (_, i) => ({
      id: `aud_${String(i).padStart(3, '0')}`,
      companyId: i % 2 === 0 ? 'com_a' : 'com_b',
      headlineScore: i % 101,
      completedAt: at(i),
      createdAt: at(i),
    })),
  );
  await seed('mentions', [{ id: 'men_a', companyId: 'com_a', createdAt: at(1) }]);
  await seed('content', [
    {
      id: 'con_a',
      companyId: 'com_a',
      title: 'First words',
      url: null,
      publishedAt: null,
      status: 'draft',
      updatedAt: at(1),
      createdAt: at(1),
    },
  ]);

  const PAGES = [
    'audits',
    'mentions',
    'content',
    'companies',
    'audits/aud_000',
    'companies/com_a',
    'content/con_a',
  ];

  test.each(PAGES.flatMap((path) => (['light', 'dark'] as const).map((theme) => [path, theme] as const)))(
    'are accessible: %s, %s',
    async (path, theme) => {
      const page = await open(owner, `${base}/${path}`, { theme });
      await page
        .getByText(/^[\d,]+ \w+ ?\w*( shown)?$|^ID$/)
        .first()
        .waitFor();
      await expectAccessible(page);
    },
  );

  test.each(PAGES)('fit a phone: %s', async (path) => {
    const page = await open(owner, `${base}/${path}`, { width: 360 });
    await page
      .getByText(/^[\d,]+ \w+ ?\w*( shown)?$|^ID$/)
      .first()
      .waitFor();
    await expectAccessible(page);
  });

  test('load a list to the end, sort it, and show newer records', async () => {
    const page = await open(owner, `${base}/audits`);
    await page.getByText('50 audits shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('120 audits').waitFor();
    const now = new Date().toISOString();
    await seed('audits', [{ id: 'aud_new', companyId: 'com_a', completedAt: now, createdAt: now }]);
    await page.getByRole('button', { name: 'Load newer' }).click();
    await page.getByText('121 audits').waitFor();
    await page.getByLabel('Sort by').selectOption('score-descending');
    await page.waitForURL(/sort=score-descending/);
    await page.getByRole('row').nth(1).getByText('100', { exact: true }).waitFor();
  });

  test('show the names of any number of companies', async () => {
    const many = await dashboard.owner();
    const COMPANIES = 230;
    const number = (i: number): string => String(i).padStart(3, '0');
    const rows = Array.from({ length: COMPANIES }, (_, i) => i);
    await seedRecords(
      service.pool,
      many.workspaceId,
      resourceNamed('companies'),
      rows.map((i) => ({ id: `com_${number(i)}`, name: `Number ${number(i)}`, createdAt: at(0) })),
    );
    await seedRecords(
      service.pool,
      many.workspaceId,
      resourceNamed('audits'),
      rows.map((i) => ({ id: `aud_${number(i)}`, companyId: `com_${number(i)}`, createdAt: at(i / 2) })),
    );
    const page = await open(many, `/w/${many.workspaceId}/data/audits`);
    await page.getByRole('link', { name: 'Number 229' }).waitFor();
    for (const shown of ['150', '230']) {
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText(new RegExp(`^${shown} audits`)).waitFor();
    }
    await page.getByText('230 audits').scrollIntoViewIfNeeded();
    await page.getByRole('link', { name: 'Number 000' }).waitFor();
    expect(await page.getByRole('link', { name: /^com_/ }).count()).toBe(0);
  });

  test('filter by a company, and link to its page with the history of its score', async () => {
    const page = await open(owner, `${base}/audits`);
    await page.getByRole('button', { name: 'All companies' }).click();
    await page.getByPlaceholder('Name, domain or id').fill('bore');
    await page.getByRole('option', { name: /Borealis/ }).click();
    await page.waitForURL(/companyId=com_b/);
    await page.getByText(/^50 audits shown$/).waitFor();
    // The list of all companies says the same until the filtered one has arrived.
    await expect.poll(() => page.getByRole('link', { name: 'Acme' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Borealis' }).first().click();
    await page.getByRole('img', { name: /Headline score over time\. Borealis: from \d+ to 18/ }).waitFor();
  });

  test('show the chosen time range of the score, also after a reload', async () => {
    const page = await open(owner, `${base}/companies/com_b`);
    const range = (name: string) => page.getByRole('radio', { name });
    await expect.poll(() => range('90 days').isChecked()).toBe(true);
    await range('1 year').click();
    await page.waitForURL(/\?range=1y$/);
    await page.reload();
    await expect.poll(() => range('1 year').isChecked()).toBe(true);
    await page.goto(`${base}/companies/com_b?range=2d`);
    await expect.poll(() => range('90 days').isChecked()).toBe(true);
  });

  test('let an owner change the status and edit content, and keep the edits if somebody else was faster', async () => {
    const page = await open(owner, `${base}/content/con_a`);
    await page.getByRole('button', { name: 'In review' }).press('Enter');
    await page.getByText('Status changed to in review.').first().waitFor();
    await page.locator('[aria-label=Status]:focus').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const focused = page
      .getByRole('dialog')
      .locator('input:focus, button[role=combobox]:focus, select:focus');
    await focused.waitFor();
    await page.getByLabel('Title').fill('Better words');
    await owner.send('PATCH', `/workspaces/${workspaceId}/data/content/con_a`, { url: 'https://x.example/' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else changed this record').waitFor();
    await page.getByRole('button', { name: 'Continue with the latest version' }).click();
    await expect.poll(() => page.getByLabel('URL').inputValue()).toBe('https://x.example/');
    expect(await page.getByLabel('Title').inputValue()).toBe('Better words');
    await owner.send('PATCH', `/workspaces/${workspaceId}/data/content/con_a`, { title: 'Other words' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Continue with the latest version' }).click();
    await page.getByText('Title is now "Other words".').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Better words' }).waitFor();
    const read = await owner.send('GET', `/workspaces/${workspaceId}/data/content/con_a`);
    expect(read.json()).toMatchObject({
      title: 'Better words',
      url: 'https://x.example/',
      status: 'in_review',
    });
  });

  test('show how a record is now if somebody else was faster than a change of its status', async () => {
    const createdAt = at(2);
    await seed('content', [
      {
        ...{ id: 'con_b', companyId: 'com_a', title: 'First words', status: 'draft' },
        ...{ url: null, publishedAt: null, updatedAt: createdAt, createdAt },
      },
    ]);
    const path = `/workspaces/${workspaceId}/data/content/con_b`;
    const page = await open(owner, `${base}/content/con_b`);
    const move = page.getByRole('button', { name: 'In review' });
    await move.waitFor();
    await owner.send('PATCH', path, { title: 'Second words' });
    await move.click();
    await page.getByRole('alert').getByText('Somebody else changed this record').waitFor();
    await page.getByRole('heading', { name: 'Second words' }).waitFor();
    await expectAccessible(page);
    await move.click();
    await page.getByText('Status changed to in review.').first().waitFor();
    await service.pool.query(`delete from content where workspace_id = $1 and id = 'con_b'`, [workspaceId]);
    await page.getByRole('button', { name: 'Published' }).click();
    await page.getByText('It may have been deleted.').waitFor();
  });

  test('tell a viewer why editing is not allowed', async () => {
    const page = await open(viewer, `${base}/content/con_a`);
    await page.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tooltip', { name: /Only owners and admins can change records/ }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('name an audit by its company and its date, show its id once, and copy it', async () => {
    const page = await open(owner, `${base}/audits/aud_001`);
    await page.getByRole('heading', { level: 1, name: /^Audit of Borealis, \w+ \d+, \d{4}$/ }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^Audit of Borealis, .+ · Test · svc$/);
    expect(await page.getByText('aud_001').count()).toBe(1);
    const copied = page.evaluate(
      () =>
        new Promise((resolve) =>
          addEventListener('copy', () => resolve((document.activeElement as HTMLTextAreaElement).value)),
        ),
    );
    await page.getByRole('button', { name: 'Copy ID' }).click();
    expect(await copied).toBe('aud_001');
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  });

  test('show the new name of a company at once, also where it is only named', async () => {
    const page = await open(owner, `${base}/companies/com_b`);
    await page.getByRole('heading', { name: 'Headline score of Borealis' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Australis');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Headline score of Australis' }).waitFor();
  });

  test('say that a record does not exist', async () => {
    const page = await open(owner, `${base}/audits/aud_none`);
    await page.getByText('There is no audit with the ID aud_none').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All audits' }).click();
    await page.getByRole('heading', { name: 'Audits' }).waitFor();
  });
});
