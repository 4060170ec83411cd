import { type Svc, SvcError } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf } from '../client.ts';

const service = await createTestService();
let svc: Svc;

beforeEach(async () => {
  const token = await service.token(await service.workspace(), { access: 'write' });
  svc = clientOf(service.app, token);
});

describe('the list of changes', () => {
  test('has a position in every page, and `after` continues there, over any number of pages', async () => {
    const { pagination } = await svc.changes.list({ after: 'now' });
    await svc.companies.createMany(Array.from({ length: 230 }, (_, i) => ({ id: `com_${i}`, name: 'A' })));
    const after = await Array.fromAsync(svc.changes.list({ after: pagination.position, limit: 30 }));
    expect(after.map(({ recordId }) => recordId)).toEqual(Array.from({ length: 230 }, (_, i) => `com_${i}`));
    const all = await Array.fromAsync(svc.changes.list());
    expect(all.toReversed()).toEqual(after);
    const one: string = (await svc.changes.list({ after: pagination.position, limit: 1 })).pagination
      .position;
    expect(one).toBe(after[0]?.id);
    for await (const { data, pagination: page } of svc.changes.list({ after: one, limit: 50 }).pages()) {
      expect(page.position).toBe(data.at(-1)?.id);
    }
  });

  test('continues after a day, when its cursor has expired', async () => {
    const { pagination } = await svc.changes.list({ after: 'now' });
    await svc.companies.createMany(Array.from({ length: 9 }, (_, i) => ({ id: `com_${i}`, name: 'A' })));
    const ids: string[] = [];
    for await (const { recordId } of svc.changes.list({ after: pagination.position, limit: 2 })) {
      ids.push(recordId);
      service.clock.now += 25 * 60 * 60 * 1000;
    }
    expect(ids).toEqual(Array.from({ length: 9 }, (_, i) => `com_${i}`));
  });

  test.each([
    { after: 'now', cursor: 'x' },
    { after: 'now', sort: 'created-descending' },
    { after: 'now', direction: 'before' },
  ])('refuses what `after` excludes: %j', async (options) => {
    expect(() => svc.changes.list(Object(options))).toThrow(SvcError);
  });

  test('a wait that is no number of seconds is refused before anything is sent', () => {
    for (const wait of [-1, Number.NaN, '1', null])
      expect(() => svc.changes.list(Object({ after: 'now', wait }))).toThrow('"wait" must be');
  });
});
