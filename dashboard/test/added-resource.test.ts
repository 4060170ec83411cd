import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { bootstrapWorkspace, signIn } from '@svc/service/harness/dashboard-http.ts';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { startSvcd } from '@svc/service/harness/process.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { repositoryWithReviews } from '@svc/service/reference/reviews-repository';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { BROWSER_PATH, launch } from './harness/launch.ts';
import { openVisitor } from './harness/visitor.ts';

// The dashboard of a copy of the repository whose contract has one more resource, as in
// service/test/reference/added-resource.test.ts.
// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a resource that was added', async () => {
  if (BROWSER_PATH === undefined) return;
  const copy = await repositoryWithReviews();
  await copy.run('vite', ['build', '--logLevel', 'warn', 'dashboard'], { NODE_ENV: 'production' });
  const { url: databaseUrl } = await createTestDatabase({ template: false });
  const env = { SVC_DATABASE_URL: databaseUrl, SVC_SECRET: secret(randomBytes(32).toString('base64url')) };
  const program = join(copy.directory, 'svcd/src/svcd.ts');
  const service = await startSvcd(env, { program });
  const workspaceId = await bootstrapWorkspace(env, undefined, program);
  const session = await signIn(service);
  const { token } = await session.createKey(workspaceId, { access: 'write' });
  const create = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${service.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
  };
  await create('companies', { id: 'com_a', name: 'Acme' });
  await create('reviews', { id: 'rev_a', companyId: 'com_a', rating: 3, author: 'Ada' });
  await create('reviews', { id: 'rev_b', companyId: 'com_a', rating: 5, stage: 'answered' });

  const browser = await launch();
  onFileEnd(() => browser.close());
  const { page, context, expectNoProblems } = await openVisitor(browser, service.url);
  await context.addCookies(
    (session.headers['cookie'] ?? '').split('; ').map((cookie) => {
      const split = cookie.indexOf('=');
      return { name: cookie.slice(0, split), value: cookie.slice(split + 1), url: service.url };
    }),
  );
  await page.goto(`/w/${workspaceId}`);

  test('is in the navigation, which leads to its list, with its columns, filters and sorts', async () => {
    await page.getByRole('link', { name: 'Reviews', exact: true }).click();
    await page.getByRole('heading', { name: 'Reviews' }).waitFor();
    await page.getByText('2 reviews', { exact: true }).waitFor();
    for (const column of ['Company', 'Rating', 'Stage', 'Author'])
      await page.getByRole('columnheader', { name: column }).waitFor();
    await page.getByLabel('Sort by').selectOption('rating-ascending');
    await page.waitForURL(/sort=rating-ascending/);
    await page.getByRole('row').nth(1).getByText('Ada').waitFor();
    await page.getByLabel('Stage').selectOption('answered');
    await page.getByText('1 review', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test('has a page for each record, and a form that changes it', async () => {
    await page.goto(`/w/${workspaceId}/data/reviews/rev_a`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Author').fill('Grace');
    await page.getByLabel('Stage').selectOption('answered');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Grace').first().waitFor();
    const response = await fetch(`${service.url}/v1/reviews/rev_a`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await response.json()).toMatchObject({ rating: 3, author: 'Grace', stage: 'answered' });
    await expectAccessible(page);
    expectNoProblems();
  });

  test('is in the search, and is linked from the page of a company', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Reviews', exact: true }).waitFor();
    await page.getByRole('option', { name: 'Create review', exact: true }).waitFor();
    await page.getByRole('option', { name: 'Import reviews', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('main').getByRole('link', { name: 'Acme' }).click();
    await page.getByRole('navigation', { name: 'Records of this company' }).getByText('Reviews').click();
    await page.waitForURL(/\/data\/reviews\?companyId=com_a/);
    await page.getByText('2 reviews', { exact: true }).waitFor();
  });

  test('is imported from a file, with its required fields', async () => {
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('rating (required)').waitFor();
    const buffer = Buffer.from('companyId,rating,stars\ncom_a,4,4\n');
    const input = page.getByLabel('File', { exact: true });
    await input.setInputFiles({ name: 'reviews.csv', mimeType: 'text/csv', buffer });
    const stars = page.getByLabel('Field of the column stars');
    await expect.poll(() => stars.inputValue()).toBe('');
    const corrected = Buffer.from('companyId,rating\ncom_a,4\ncom_a,6\n');
    await input.setInputFiles({ name: 'reviews.csv', mimeType: 'text/csv', buffer: corrected });
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 review imported, 1 refused.').waitFor();
    expectNoProblems();
  });

  test('compiles', async () => {
    await copy.run('tsc', ['-p', 'dashboard/tsconfig.json']);
  });
});
