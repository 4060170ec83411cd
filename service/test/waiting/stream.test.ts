import type { Change } from '@svc/sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { TEST_ACTOR } from '../harness/service.ts';
import { changesOf, createStreamWorld, has, idsOf } from './world.ts';

const { fresh, world, service, stream, write, seed, entries, closed, waiting } = await createStreamWorld();
beforeEach(fresh);

/** The id of the oldest change. */
async function firstId(): Promise<string> {
  const answer = await service.request(world.key.token, '/v1/changes?sort=created-ascending&limit=1');
  return answer.json<{ readonly data: readonly Change[] }>().data[0]?.id ?? '';
}

describe('a stream of changes', () => {
  test('sends each change as it is committed, as the list has it', async () => {
    const opened = await stream();
    expect([opened.status, opened.headers['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    await expect.poll(() => opened.events.length).toBe(1);
    await write('com_a');
    await has(opened, 1);
    await write('com_b');
    await has(opened, 2);
    const list = (await service.request(world.key.token, '/v1/changes?sort=created-ascending')).json<{
      readonly data: readonly Change[];
    }>();
    const events = changesOf(opened);
    expect(events.map(({ data }) => JSON.parse(data))).toEqual(list.data);
    expect(events.map(({ id, event }) => [id, event])).toEqual(list.data.map(({ id, type }) => [id, type]));
    opened.close();
  });

  test('begins after a position, and Last-Event-ID has precedence over it', async () => {
    await Promise.all(['com_a', 'com_b', 'com_c'].map((id) => write(id)));
    const all = await stream('?after=now');
    await expect.poll(() => all.events.length).toBe(1);
    const { data } = (await service.request(world.key.token, '/v1/changes?sort=created-ascending')).json<{
      readonly data: readonly Change[];
    }>();
    const [first, second, third] = data;
    const after = await stream(`?after=${first?.id}`);
    await has(after, 2);
    expect(changesOf(after).map(({ id }) => id)).toEqual([second?.id, third?.id]);
    const resumed = await stream(`?after=${first?.id}`, { 'last-event-id': second?.id ?? '' });
    await has(resumed, 1);
    expect(changesOf(resumed).map(({ id }) => id)).toEqual([third?.id]);
    for (const opened of [all, after, resumed]) opened.close();
  });

  test('that was opened at the end and got nothing resumes at the id of its first event', async () => {
    const opened = await stream();
    await expect.poll(() => opened.events.length).toBe(1);
    opened.close();
    await write('com_a');
    const resumed = await stream('', { 'last-event-id': opened.events[0]?.id ?? '' });
    await has(resumed, 1);
    expect(idsOf(resumed)).toEqual(['com_a']);
    resumed.close();
  });

  test('names how far it has read while its filters leave out all changes', async () => {
    await seed(5_000);
    const opened = await stream(`?resource=audits&after=${await firstId()}`);
    await expect.poll(() => opened.events.length).toBeGreaterThan(4);
    const ids = opened.events.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(changesOf(opened)).toEqual([]);
    opened.close();
  });

  test('resumes again and again without a gap or a repeat, while others write', async () => {
    let last = 'now';
    const opened = await stream();
    await expect.poll(() => opened.events.length).toBe(1);
    last = opened.events[0]?.id ?? '';
    opened.close();
    const writing = (async () => {
      for (let i = 0; i < 20; i++) await seed(17);
    })();
    const got: string[] = [];
    while (got.length < 340) {
      const part = await stream(`?after=${last}`);
      await has(part, 1);
      part.close();
      await part.ended;
      const events = changesOf(part);
      got.push(...events.map(({ id }) => id ?? ''));
      last = got.at(-1) ?? last;
    }
    await writing;
    const ids: string[] = [];
    for (let after = opened.events[0]?.id ?? ''; ; ) {
      const page = (await service.request(world.key.token, `/v1/changes?limit=100&after=${after}`)).json<{
        readonly data: readonly Change[];
        readonly pagination: { readonly position: string };
      }>();
      if (page.data.length === 0) break;
      ids.push(...page.data.map(({ id }) => id));
      after = page.pagination.position;
    }
    expect(got).toEqual(ids);
  });

  test('has only the changes that its filters and the company of its key allow', async () => {
    await Promise.all([write('com_a'), write('com_b')]);
    const limited = await service.token(world.workspaceId, { companyId: 'com_a' });
    const [ofCompany, ofType] = await Promise.all([stream('', {}, limited), stream('?type=company.updated')]);
    await expect.poll(() => ofCompany.events.length + ofType.events.length).toBe(2);
    for (const id of ['com_b', 'com_a'])
      await service.request(world.key.token, `/v1/companies/${id}`, {
        method: 'PATCH',
        payload: { name: 'new' },
      });
    await write('com_c');
    await has(ofType, 2);
    await has(ofCompany, 1);
    expect([idsOf(ofCompany), idsOf(ofType)]).toEqual([['com_a'], ['com_b', 'com_a']]);
    ofCompany.close();
    ofType.close();
  });

  test('has the entry of its request before the first byte, and stream.closed with the number of changes', async () => {
    const opened = await stream('', { 'request-id': 'req_stream' });
    expect(await entries()).toMatchObject([{ kind: 'api.request', requestId: 'req_stream' }]);
    await seed(3);
    await has(opened, 3);
    opened.close();
    expect(await closed()).toMatchObject({ changes: 3, reason: 'client' });
    expect((await entries()).map(({ requestId }) => requestId)).toEqual(['req_stream', 'req_stream']);
  });

  test('with a test key sends the changes, and has no entries', async () => {
    const opened = await stream('', {}, await service.token(world.workspaceId, { mode: 'test' }));
    await expect.poll(() => opened.events.length).toBe(1);
    await write('com_a');
    await has(opened, 1);
    opened.close();
    await waiting(0);
    expect(await entries()).toEqual([]);
  });

  test('is refused as other requests are: with a status, before it begins', async () => {
    const ask = (query: string) => service.request(world.key.token, `/v1/changes/stream${query}`);
    expectFailure(await ask('?after=yesterday'), 'invalid_parameter');
    expectFailure(await ask('?limit=5'), 'invalid_parameter');
    expectFailure(await ask('?type=nothing'), 'invalid_parameter');
    await service.keys.revoke(world.workspaceId, world.key.keyId, TEST_ACTOR);
    expectFailure(await ask(''), 'invalid_key');
    await waiting(0);
  });
});
