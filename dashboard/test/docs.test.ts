import { readGuides } from '@svc/docs-pages/guides';
import { openApiDocument } from '@svc/openapi';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook } from './harness/accessible.ts';
import { BROWSER_PATH, createWorld, type World } from './harness/world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the documentation', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  test.each([
    { path: '/docs', heading: { name: 'List audits' } },
    ...readGuides().map(({ name, title }) => ({
      path: `/docs/${name}`,
      heading: { level: 1, name: title },
    })),
  ])('is accessible, sends no request to another host, and logs no error: $path', async (one) => {
    const { page, expectNoProblems } = await world.visitor();
    await page.goto(one.path);
    await page.getByRole('heading', one.heading).waitFor();
    await expectAccessibleInEveryLook(page);
    expectNoProblems();
  });

  test('keeps the list of guides visible while a guide scrolls', async () => {
    const { page } = await world.visitor({ viewport: { width: 1280, height: 740 } });
    await page.goto('/docs/pagination');
    const menu = page.getByRole('navigation', { name: 'Guides' });
    await page.getByRole('heading', { name: 'How many?' }).scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(1_000);
    const box = await menu.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(200);
  });

  test('shows every operation of the OpenAPI document, with its samples', async () => {
    const { page, expectNoProblems } = await world.visitor();
    const { paths } = openApiDocument({ publicUrl: world.url, version: '0' });
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { summary, tags }] of Object.entries(item)) {
        await page.goto(`/docs#tag/${tags[0]}/${method.toUpperCase()}${path}`);
        await page.getByRole('heading', { name: summary, exact: true }).waitFor();
      }
    }
    await page.getByText('$SVC_BASE_URL/v1/audit-log').first().waitFor();
    expectNoProblems();
  });

  test('sends a request with a pasted key only to the service, and stores the key nowhere', async () => {
    const ada = await world.person('Ada');
    const { page, expectNoProblems } = await world.signedIn(ada);
    const answer = await page.request.post(`/dashboard/api/workspaces/${ada.workspaceId}/keys`, {
      data: { name: 'docs', mode: 'test', access: 'read', companyId: null },
      headers: { origin: world.url, 'idempotency-key': 'docs' },
    });
    const issued = (await answer.json()) as { token: string };
    await page.goto('/docs');
    await page.getByPlaceholder('Token').first().fill(issued.token);
    await page.getByRole('link', { name: /^List audits/ }).click();
    await page
      .getByRole('button', { name: /Test Request.*\/v1\/audits\)/ })
      .first()
      .click();
    const answered = page.waitForResponse(/\/v1\/audits\?/);
    await page.getByRole('button', { name: /^Send/ }).first().click();
    expect((await answered).status()).toBe(200);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain('svc_test_');
    expect(page.url()).not.toContain('svc_test_');
    expectNoProblems();
  });

  test('keeps the chosen theme and language on every page', async () => {
    const { page, expectNoProblems } = await world.visitor({ colorScheme: 'light' });
    await page.goto('/docs/quickstart');
    await page.getByRole('tab', { name: 'Python' }).first().click();
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    await page.goto('/docs/pagination');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    const tabs = page.getByRole('tablist').first();
    expect(await tabs.getByRole('tab', { selected: true }).textContent()).toBe('Python');
    await tabs.getByRole('tab', { name: 'Python' }).press('ArrowLeft');
    expect(await tabs.getByRole('tab', { selected: true }).textContent()).toBe('TypeScript');
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'List audits' }).waitFor();
    expect(await page.locator('body').getAttribute('class')).toContain('dark-mode');
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await page.locator('body').getAttribute('class')).toContain('light-mode');
    expectNoProblems();
  });

  test('copies an example unchanged', async () => {
    const { page } = await world.visitor();
    await page.goto('/docs/quickstart');
    const example = page.getByRole('tabpanel', { name: 'curl' }).first();
    await example.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'curl -sS -H "Authorization: Bearer $SVC_API_KEY" "$SVC_BASE_URL/v1/audits?limit=10"',
    );
  });

  test('copies an example without a secure origin, where browsers have no clipboard', async () => {
    const { page, expectNoProblems } = await world.visitor();
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto('/docs/quickstart');
    const example = page.getByRole('tabpanel', { name: 'curl' }).first();
    await example.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => getSelection()?.toString().trim())).toContain('/v1/audits?limit=10');
    expectNoProblems();
  });

  test('can be read without JavaScript', async () => {
    const { page } = await world.visitor({ javaScriptEnabled: false });
    await page.goto('/docs/pagination');
    await page.getByText('for await (const page of').waitFor();
    await page.goto('/docs');
    expect(await page.locator('body').textContent()).toContain('The reference needs JavaScript');
  });
});
