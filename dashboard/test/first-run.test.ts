import { beforeAll, describe, expect, test } from 'vitest';
import { BROWSER_PATH, createWorld, PASSWORD, type World } from './harness/world.ts';

/** The requirement is 250 kB. This limit is stricter. */
const FIRST_LOAD_MAX_BYTES = 180_000;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the first run', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  test('a visitor without a session gets the sign-in page, without an error', async () => {
    const { page, expectNoProblems } = await world.visitor();
    await page.goto('/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expectNoProblems();
  });

  test('loads less than 180 kB of compressed JavaScript, all of it compressed by the build', async () => {
    const ada = await world.person('Load');
    const { page } = await world.visitor();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      if (!/\.js$/.test(response.url())) return;
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      );
    });
    await page.goto(await world.signInLink(ada), { waitUntil: 'networkidle' });
    await page.waitForURL(/\/w\//);
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(FIRST_LOAD_MAX_BYTES);
    process.stderr.write(`the first load takes ${Math.round(bytes / 1000)} kB of JavaScript\n`);
    await world.pool.query('delete from users');
  });

  test('the set-up page without a link says where to find the link', async () => {
    const { page } = await world.visitor();
    await page.goto('/set-up');
    await page.getByText('the service prints a link to this page on its console').waitFor();
  });

  test('the link creates the owner and the first workspace, and its token disappears from the URL at once', async () => {
    const { page, expectNoProblems } = await world.visitor();
    const link = await world.setUpLink();
    await page.goto(link);
    await page.getByLabel('Your name').fill('Ada');
    expect(page.url()).toBe(`${world.url}/set-up`);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('First workspace').fill('Northwind');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.waitForURL(/\/w\/wks_\w+$/);
    await page.getByRole('button', { name: 'Workspace Northwind' }).waitFor();
    expectNoProblems();
    expect(await world.setUpLink()).toBe('');
  });

  test('a used link is refused, and the form keeps its values', async () => {
    const { page, expectNoProblems } = await world.visitor();
    await page.goto('/set-up#token=used-before');
    await page.getByLabel('Your name').fill('Eve');
    await page.getByLabel('Email address').fill('eve@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('First workspace').fill('Mine');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('alert').getByText('used before').waitFor();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Eve');
    expectNoProblems(/status of 400/);
  });
});

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('signing in', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    await world.person('Ada');
  });

  test('with a wrong password keeps the email address; with the right one opens the requested page', async () => {
    const { page, expectNoProblems } = await world.visitor();
    await page.goto('/account');
    await page.waitForURL(/\/sign-in\?next=/);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe('ada@example.com');
    expectNoProblems(/status of 401/);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${world.url}/account`);
    expectNoProblems();
  });

  test('never redirects to another site', async () => {
    const { page } = await world.visitor();
    await page.goto(`/sign-in?next=${encodeURIComponent('//evil.example/')}`);
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/w\//);
    expect(new URL(page.url()).origin).toBe(world.url);
  });

  test('by a link works once', async () => {
    const ada = await world.person('Bea');
    const link = await world.signInLink(ada);
    const first = await world.visitor();
    await first.page.goto(link);
    await first.page.waitForURL(/\/w\//);
    first.expectNoProblems();
    const second = await world.visitor();
    await second.page.goto(link);
    await second.page.getByText('This link was already used or has expired').waitFor();
    second.expectNoProblems(/status of 400/);
    await second.page.getByRole('button', { name: 'Sign in with a password' }).click();
    await second.page.getByLabel('Email address').waitFor();
  });

  test('lasts until the sign-out, also in another tab', async () => {
    const cleo = await world.person('Cleo');
    const { page, context, expectNoProblems } = await world.signedIn(cleo);
    const other = await context.newPage();
    await other.goto(`/w/${cleo.workspaceId}/keys`);
    await other.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'Account of Cleo' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expectNoProblems();
    await other.getByRole('link', { name: 'Settings' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(other.url()).toContain('next=');
  });
});
