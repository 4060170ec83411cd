import {
  type Change,
  type ChangeTail,
  type Fetch,
  type Svc,
  SvcError,
  SvcInvalidParameterError,
  SvcPositionExpiredError,
} from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from '../client.ts';
import { failing } from '../faults.ts';

const service = await createTestService();
const fetchApp = fetchOf(service.app);
let workspaceId: string;
let token: string;
let svc: Svc;

beforeEach(async () => {
  workspaceId = await service.workspace();
  token = await service.token(workspaceId, { access: 'write' });
  svc = clientOf(service.app, token);
});

const DONE = { done: true, value: undefined };
const named = ({ type, recordId }: Change): string => `${type} ${recordId}`;
const namesOf = async (changes: AsyncIterable<Change>): Promise<readonly string[]> =>
  (await Array.fromAsync(changes)).map(named);
const company = (id: string) => svc.companies.create({ id, name: id });
const stored = (after?: string): ChangeTail =>
  svc.changes.tail({ follow: false, ...(after === undefined ? {} : { after }) });
const queryOf = (url: string): URLSearchParams => new URL(url).searchParams;

describe('a tail of changes', () => {
  test('yields every stored change, and the position after each of them is exact', async () => {
    await company('com_a');
    await svc.content.create({ id: 'con_1', companyId: 'com_a', title: 'One' });
    await svc.content.update('con_1', { title: 'Two' });
    await svc.content.delete('con_1');
    const expected = ['company.created com_a', 'content.created con_1', 'content.updated con_1'];
    expected.push('content.deleted con_1');
    const tail = stored();
    expect(tail.position).toBe('start');
    const rest: (readonly string[])[] = [];
    for await (const _ of tail) rest.push(await namesOf(stored(tail.position)));
    expect(await namesOf(stored())).toEqual(expected);
    expect(rest).toEqual(expected.map((_, i) => expected.slice(i + 1)));
    expect(await namesOf(stored(tail.position))).toEqual([]);
  });

  test('narrows the record by the type or the resource of the change', async () => {
    await company('com_a');
    await svc.content.create({ id: 'con_1', companyId: 'com_a', title: 'One' });
    await svc.content.update('con_1', { title: 'Two' });
    const seen: unknown[] = [];
    for await (const change of stored()) {
      if (change.type === 'content.updated') seen.push(change.record.title, change.changed.includes('title'));
      else if (change.resource === 'companies') seen.push(change.record?.name);
      else if (change.type === 'content.deleted') seen.push(change.record satisfies null);
    }
    expect(seen).toEqual(['com_a', 'Two', true]);
  });

  test('yields a change whose type is newer than this client', async () => {
    await company('com_a');
    await company('com_b');
    const fetch: Fetch = async (url, init) => {
      const answer = await fetchApp(url, init);
      const text = async () => (await answer.text()).replace('"company.created"', '"company.merged"');
      return { ...answer, text };
    };
    const seen: string[] = [];
    for await (const change of clientOf(service.app, token, { fetch }).changes.tail({ follow: false })) {
      switch (change.type) {
        case 'company.created':
          seen.push(change.record.name);
          break;
        default:
          seen.push(`other: ${change.type}`);
      }
    }
    expect(seen).toEqual(['other: company.merged', 'com_b']);
  });

  test('ends at the page without a nextCursor, also if pages have no hasMore', async () => {
    for (const id of ['com_a', 'com_b', 'com_c']) await company(id);
    const fetch: Fetch = async (url, init) => {
      const answer = await fetchApp(url.replace(/limit=\d+/, 'limit=1'), init);
      const text = async () => (await answer.text()).replace(/"hasMore":(true|false),/, '');
      return { ...answer, text };
    };
    const { changes } = clientOf(service.app, token, { fetch });
    expect(await namesOf(changes.tail({ follow: false }))).toEqual(await namesOf(stored()));
  });

  test('`now` begins after the newest change, and its position can be stored before the next one', async () => {
    await company('com_a');
    const tail = svc.changes.tail({ after: 'now', follow: false });
    expect(tail.position).toBe('now');
    await tail.begin();
    const { position } = tail;
    await company('com_b');
    expect(await namesOf(tail)).toEqual(['company.created com_b']);
    expect(await namesOf(stored(position))).toEqual(['company.created com_b']);
  });

  test('continues after the last change that it yielded if it is ended in the middle of a page', async () => {
    for (const id of ['com_a', 'com_b', 'com_c']) await company(id);
    const tail = stored();
    for await (const { recordId } of tail) if (recordId === 'com_b') break;
    expect(await namesOf(tail)).toEqual(['company.created com_c']);
  });

  test.each([
    [{ resource: 'content' }, ['content.created con_1', 'content.updated con_1']],
    [{ type: 'company.created' }, ['company.created com_a', 'company.created com_b']],
    [{ companyId: 'com_b' }, ['company.created com_b', 'content.updated con_1']],
  ] as const)('filters: %j', async (filter, expected) => {
    await company('com_a');
    await company('com_b');
    await svc.content.create({ id: 'con_1', companyId: 'com_a', title: 'One' });
    await svc.content.update('con_1', { companyId: 'com_b' });
    expect(await namesOf(svc.changes.tail({ follow: false, ...filter }))).toEqual(expected);
  });

  test('goes on after failures of the network, without a gap or a repeat', async () => {
    await company('com_a');
    await company('com_b');
    for (const when of ['before', 'after'] as const) {
      const client = clientOf(service.app, token, { fetch: failing(fetchApp, 3, when) });
      const names = await namesOf(client.changes.tail({ follow: false }));
      expect(names).toEqual(['company.created com_a', 'company.created com_b']);
    }
  });

  test('throws SvcPositionExpiredError if the changes after its position are gone', async () => {
    await company('com_a');
    const tail = stored();
    await namesOf(tail);
    await service.pool.query(
      `with clock as (update workspace_clocks set last_at = clock_timestamp() where workspace_id = $1 returning last_at)
       update companies set doc = doc where workspace_id = $1 and (select true from clock)`,
      [workspaceId],
    );
    await expect(namesOf(tail)).rejects.toThrow(SvcPositionExpiredError);
  });

  test('refuses a position of another list, an unknown option and what is no position', async () => {
    const audits = svc.audits.tail({ follow: false });
    for (const after of [audits.position, 'x'])
      await expect(namesOf(stored(after))).rejects.toThrow(SvcInvalidParameterError);
    for (const options of [{ after: '' }, { after: 7 }, { limit: 5 }, { wait: 5 }])
      expect(() => svc.changes.tail(Object(options))).toThrow(SvcError);
    await expect(namesOf(svc.changes.tail(Object({ misspelt: 'x' })))).rejects.toThrow('misspelt');
  });
});

describe('a tail that waits for a change', () => {
  /** A client whose requests with `wait` last until they are aborted. */
  function held(): { readonly client: Svc; readonly waits: Promise<URLSearchParams>; ended(): unknown } {
    const { promise: waits, resolve } = Promise.withResolvers<URLSearchParams>();
    let reason: unknown;
    const fetch: Fetch = (url, init) => {
      if (!queryOf(url).has('wait')) return fetchApp(url, init);
      resolve(queryOf(url));
      return new Promise((_, reject) => {
        init.signal.addEventListener('abort', () => {
          reason = init.signal.reason;
          reject(init.signal.reason);
        });
      });
    };
    return { client: clientOf(service.app, token, { fetch }), waits, ended: () => reason };
  }

  test('asks the service to wait, and `return` ends it immediately', async () => {
    const { client, waits, ended } = held();
    const changes = client.changes.tail({ after: 'now', type: 'audit.created' })[Symbol.asyncIterator]();
    const next = changes.next();
    expect(Object.fromEntries(await waits)).toEqual({
      after: expect.stringMatching(/^chg_/),
      limit: '100',
      type: 'audit.created',
      wait: '25',
    });
    expect(await changes.return()).toEqual(DONE);
    expect(await next).toEqual(DONE);
    expect(ended()).toBeInstanceOf(Error);
  });

  test('gets each change as soon as it is committed, in the response to the request that waits', async () => {
    const asked: (() => void)[] = [];
    const waits: string[] = [];
    const fetch: Fetch = (url, init) => {
      if (!queryOf(url).has('wait')) return fetchApp(url, init);
      waits.push(url);
      const answer = fetchApp(url, init);
      asked.splice(0).forEach((resolve) => void resolve());
      return answer;
    };
    const sleep = () => Promise.reject(new Error('it paused'));
    const client = clientOf(service.app, token, { fetch, timing: { sleep } });
    const changes = client.changes.tail({ after: 'now' })[Symbol.asyncIterator]();
    for (const id of ['com_a', 'com_b', 'com_c']) {
      const request = new Promise<void>((resolve) => asked.push(resolve));
      const next = changes.next();
      await request;
      await company(id);
      expect((await next).value).toMatchObject({ recordId: id, type: 'company.created' });
    }
    await changes.return();
    expect(waits).toHaveLength(3);
  });

  test('throws the reason of its signal immediately', async () => {
    const { client, waits } = held();
    const controller = new AbortController();
    const changes = client.changes.tail({ after: 'now', signal: controller.signal }).pages();
    const next = changes.next();
    await waits;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  test('has the time of the wait in addition to the time limit of the call', async () => {
    const { client, ended } = held();
    const { position } = (await svc.changes.list({ after: 'now' })).pagination;
    const waited = client.changes.list({ after: position, wait: 1, timeoutMs: 50, retries: 0 });
    await expect(waited).rejects.toThrow('No response within 1050 ms.');
    expect(ended()).toBeInstanceOf(Error);
  });

  test('makes a pause if the service does not wait, such as while it shuts down', async () => {
    const pauses: number[] = [];
    const shutting: Fetch = (url, init) => fetchApp(url.replace('&wait=25', ''), init);
    const sleep = async (ms: number): Promise<void> => {
      pauses.push(ms);
      if (pauses.length === 3) await company('com_a');
    };
    const client = clientOf(service.app, token, { fetch: shutting, timing: { sleep } });
    for await (const { recordId } of client.changes.tail({ after: 'now' })) {
      expect(recordId).toBe('com_a');
      break;
    }
    expect(pauses).toEqual([1_000, 1_000, 1_000]);
  });
});
