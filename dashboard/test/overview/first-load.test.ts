import { stat } from 'node:fs/promises';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

/** The requirement of the first load. */
const MAX_BYTES = 160_000;
const ASSETS = new URL('../../dist/assets/', import.meta.url);

/** The bytes of built files as the service sends them. Small files are not compressed. */
async function bytesOf(names: readonly string[], ending: '.gz' | '.br'): Promise<number> {
  const sizes = names.map(async (name) => {
    const { size } = await stat(new URL(`${name}${ending}`, ASSETS)).catch(() => stat(new URL(name, ASSETS)));
    return size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the first load of an overview with plots', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  await service.request(await service.token(workspaceId), '/v1/audits');
  const createdAt = new Date(Date.now() - 3_600_000).toISOString();
  const seed = (name: string, row: object) =>
    seedRecords(service.pool, workspaceId, resourceNamed(name), [{ createdAt, id: `${name}_1`, ...row }]);
  await seed('companies', { name: 'Acme' });
  await seed('audits', { companyId: 'companies_1', headlineScore: 64, completedAt: createdAt });

  test('takes less than 160 kB of JavaScript: with gzip before the plots, with Brotli together with them', async () => {
    const page = await open(owner, '/account');
    const overview = page.url().replace('/account', `/w/${workspaceId}`);
    // Otherwise files that the account page still loads would count.
    await page.goto('about:blank');
    const loaded = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) loaded.add(pathname.slice(pathname.lastIndexOf('/') + 1));
    });
    // A new document loads all of its files again, from the cache or not.
    await page.goto(overview, { waitUntil: 'networkidle' });
    await page
      .getByRole('img', { name: /Requests per hour/ })
      .locator('canvas')
      .waitFor();
    const first = [...loaded].filter((name) => !name.startsWith('uplot-'));
    expect(first).toHaveLength(loaded.size - 1);
    expect(first).toContainEqual(expect.stringMatching(/^react-/));
    expect(await bytesOf(first, '.gz')).toBeLessThan(MAX_BYTES);
    expect(await bytesOf([...loaded], '.br')).toBeLessThan(MAX_BYTES);
  });
});
