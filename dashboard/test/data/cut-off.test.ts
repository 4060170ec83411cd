import type { IncomingMessage, ServerResponse } from 'node:http';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { describe, expect, test } from 'vitest';
import { BROWSER_PATH } from '../harness/launch.ts';
import { createServiceWorld } from '../harness/service-world.ts';

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('a response that is cut off', async () => {
  if (BROWSER_PATH === undefined) return;
  const { service, dashboard, open } = await createServiceWorld();
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const content = `/w/${workspaceId}/data/content`;
  const createdAt = '2026-03-01T09:30:00Z';
  await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [
    { id: 'com_a', name: 'Acme', createdAt },
  ]);
  await seedRecords(
    service.pool,
    workspaceId,
    resourceNamed('content'),
    ['First', 'Second'].map((title) => ({
      ...{ id: `con_${title}`, companyId: 'com_a', title, status: 'draft' },
      ...{ url: null, publishedAt: null, updatedAt: createdAt, createdAt },
    })),
  );

  /** Sends the next response to such a request only in part, then does `after`. */
  const sendPart = (method: string, path: RegExp, after: (response: ServerResponse) => void): void => {
    const listen = (request: IncomingMessage, response: ServerResponse): void => {
      if (request.method !== method || !path.test(request.url ?? '')) return;
      service.app.server.off('request', listen);
      response.end = (body: unknown) => {
        response.write(String(body).slice(0, 9), () => after(response));
        return response;
      };
    };
    service.app.server.prependListener('request', listen);
  };

  test('to a change of many records: they may have been changed, and the list is read again', async () => {
    const page = await open(owner, content);
    await page.getByRole('checkbox', { name: 'Select First' }).click();
    await page.getByRole('checkbox', { name: 'Select Second' }).click();
    await page.getByRole('button', { name: 'Change status' }).click();
    await page.getByRole('menuitem', { name: 'In review' }).click();
    sendPart('PATCH', /\/batch$/, (response) => response.destroy());
    await page.getByRole('button', { name: 'Change 2 content items' }).click();
    await page.getByText('2 content items not confirmed: the last request may').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.getByRole('row', { name: /In review/ }).count()).toBe(2);
  });

  test('to a read: it is read again', async () => {
    let ended = false;
    sendPart('GET', /api\/.*\/con_First$/, (response) => {
      ended = true;
      response.destroy();
    });
    const page = await open(owner, `${content}/con_First`);
    await page.getByRole('heading', { name: 'First' }).waitFor();
    expect(ended).toBe(true);
  });

  test('to a read, without the end of the connection: it ends with an error', async () => {
    const page = await open(owner, content);
    await page.evaluate(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 10);
    });
    sendPart('GET', /api\/.*\/con_First$/, () => undefined);
    await page.getByRole('link', { name: 'First' }).click();
    await page.getByRole('alert').getByText('The service did not respond in time.').waitFor();
  });
});
