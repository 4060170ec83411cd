import { importText, ndjson } from '@svc/service/harness/import.ts';
import { seedChanges } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../harness/accessible.ts';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the history on the page of a record', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const base = `/w/${workspaceId}/data`;
  const token = await service.token(workspaceId, { access: 'write', name: 'Publisher' });
  const write = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const content = body === undefined ? {} : { headers, payload: JSON.stringify(body) };
    const { status } = await service.request(token, `/v1${path}`, { method, ...content });
    expect(status).toBeLessThan(300);
  };
  await importText(service.pool, workspaceId, 'companies', ndjson([{ id: 'com_a', name: 'Acme' }]));
  const createContent = (id: string) =>
    write('POST', '/content', { id, companyId: 'com_a', title: 'First words' });

  test('has who changed what, also directly after a change, and links to the entries', async () => {
    await createContent('con_a');
    await write('PATCH', '/content/con_a', { title: 'Better words', url: 'https://x.example/' });
    const page = await open(owner, `${base}/content/con_a`);
    const items = page.getByRole('list', { name: 'History' }).getByRole('listitem');
    await page.getByText('2 changes', { exact: true }).waitFor();
    expect(await items.nth(0).textContent()).toMatch(/Updated: Title, URLPublisher/);
    expect(await items.nth(1).textContent()).toMatch(/CreatedPublisher/);
    await page.getByRole('button', { name: 'In review' }).click();
    await page.getByText('3 changes', { exact: true }).waitFor();
    expect(await items.nth(0).textContent()).toContain(`Updated: Status${owner.email}`);
    await items.nth(1).getByRole('link', { name: 'Audit entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('PATCH /v1/content/con_a').first().waitFor();
    await dialog.getByRole('link', { name: 'con_a' }).click();
    await page.getByText('3 changes', { exact: true }).waitFor();
  });

  test('shows an import by the operator', async () => {
    const page = await open(viewer, `${base}/companies/com_a`);
    const item = page.getByRole('list', { name: 'History' }).getByRole('listitem');
    await item.filter({ hasText: /ImportedOperator/ }).waitFor();
    await item.getByRole('link', { name: 'Audit entry' }).click();
    await page
      .getByRole('dialog', { name: 'Records imported' })
      .getByText('1 company', { exact: true })
      .waitFor();
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('is accessible, and fits: %s, %i px', async (theme, width) => {
    const id = `con_${theme}_${width}`;
    await createContent(id);
    await write('PATCH', `/content/${id}`, { title: 'Better words', url: 'https://x.example/' });
    const page = await open(owner, `${base}/content/${id}`, { theme, width });
    await page.getByText('2 changes', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test('is there for a deleted record, and says so if the changes are no longer stored', async () => {
    await createContent('con_gone');
    await write('DELETE', '/content/con_gone');
    const page = await open(viewer, `${base}/content/con_gone`);
    await page.getByText('2 changes', { exact: true }).waitFor();
    await page.getByText(/Deleted/).waitFor();
    await expectAccessible(page);
    const never = await open(viewer, `${base}/content/con_never`);
    await never.getByText('No change of this record is stored.').waitFor();
    const other = await dashboard.owner();
    await importText(service.pool, other.workspaceId, 'companies', ndjson([{ id: 'com_a', name: 'Acme' }]));
    await service.pool.query('delete from changes where workspace_id = $1', [other.workspaceId]);
    const path = `/workspaces/${other.workspaceId}/data/companies/com_a`;
    expect((await other.send('PATCH', path, { name: 'Acme Ltd' })).status).toBe(200);
    const later = await open(other, `/w/${other.workspaceId}/data/companies/com_a`);
    await later.getByText('Earlier changes are no longer stored.').waitFor();
  });

  test('continues a long search by itself', async () => {
    const other = await dashboard.owner();
    await importText(service.pool, other.workspaceId, 'companies', ndjson([{ id: 'com_a', name: 'Acme' }]));
    const types = ['content.updated', 'content.deleted'] as const;
    await seedChanges(
      service.pool,
      other.workspaceId,
      Array.from({ length: 5_100 }, (_, i) => ({
        type: types[i % 2] ?? types[0],
        recordId: 'con_x',
        companyId: 'com_a',
        doc: '{}',
      })),
    );
    const page = await open(other, `/w/${other.workspaceId}/data/companies/com_a`);
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.getByText('Imported').waitFor();
  });
});
