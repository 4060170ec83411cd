import { SEARCHED_ROWS_MAX } from '@svc/service/config/limits';
import { COMPANY } from '@svc/service/harness/lists.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { seedWorkspace } from '@svc/service/harness/world.ts';
import { expect, test } from 'vitest';
import { clientOf } from '../client.ts';
import { idsOf } from './lists.ts';

const DAY_AND_A_BIT_MS = 25 * 60 * 60 * 1000;
const service = await createTestService();

let added = 0;
/** Adds mentions of this source, each newer than all before it. */
async function add(workspaceId: string, count: number, source: string): Promise<readonly string[]> {
  const rows = Array.from({ length: count }, () => {
    added += 1;
    const createdAt = `2026-05-01T00:00:00.${String(added).padStart(6, '0')}Z`;
    return { id: `men_new_${added}`, companyId: COMPANY, source, createdAt };
  });
  await seedRecords(service.pool, workspaceId, resourceNamed('mentions'), rows);
  return rows.map(({ id }) => id);
}

test.each(['start', 'now'])(
  'after %s, a position in a search that has found nothing stays exact for more than a day',
  async (after) => {
    const workspaceId = await service.workspace();
    await seedWorkspace(service, workspaceId);
    const svc = clientOf(service.app, await service.token(workspaceId, { mode: 'test' }));
    // A tail from now on does not search as far as this one.
    if (after === 'now') await add(workspaceId, 1, 'Rare');
    await add(workspaceId, SEARCHED_ROWS_MAX + 1, 'Common');
    const options = { source: 'Rare', follow: false };
    const tail = svc.mentions.tail({ ...options, after });
    expect(await idsOf(tail)).toEqual([]);
    service.clock.now += DAY_AND_A_BIT_MS;
    const come = await add(workspaceId, 2, 'Rare');
    expect(await idsOf(svc.mentions.tail({ ...options, after: tail.position }))).toEqual(come);
    expect(await idsOf(tail)).toEqual(come);
  },
);

test('a tail by words yields the records that have them, and continues after them, also after more than a day', async () => {
  const workspaceId = await service.workspace();
  const svc = clientOf(service.app, await service.token(workspaceId, { access: 'write' }));
  await svc.companies.create({ id: 'com_one', name: 'Acme One' });
  await svc.companies.create({ id: 'com_other', name: 'Borealis' });
  await svc.companies.create({ id: 'com_two', name: 'Two Acme' });
  const options = { q: 'acme', follow: false };
  const tail = svc.companies.tail(options);
  expect(await idsOf(tail)).toEqual(['com_one', 'com_two']);
  service.clock.now += DAY_AND_A_BIT_MS;
  await svc.companies.create({ id: 'com_more', name: 'Borealis More' });
  await svc.companies.create({ id: 'com_three', name: 'acme three' });
  expect(await idsOf(svc.companies.tail({ ...options, after: tail.position }))).toEqual(['com_three']);
});
