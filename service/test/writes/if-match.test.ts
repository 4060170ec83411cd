import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { CHANGEABLE } from './cases.ts';
import { type Created, createWriteWorld, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

describe.each(
  CHANGEABLE.flatMap((of) => (['PATCH', 'DELETE'] as const).map((method) => ({ of, method, path: of.path }))),
)('If-Match with $method $path/{id}', ({ of, method, path }) => {
  const text = 'title' in of.resource.fields ? 'title' : 'name';
  const done = method === 'PATCH' ? 200 : 204;

  /** A new record, its URL and its ETag. */
  async function made(): Promise<{ record: Created; url: string; etag: string }> {
    const record = await world.create(of);
    const url = `${path}/${record.id}`;
    return { record, url, etag: String((await world.get(url)).headers['etag']) };
  }
  const change = (url: string, ifMatch: string) =>
    world.send(method, url, method === 'PATCH' ? { [text]: 'New' } : undefined, {
      headers: { 'if-match': ifMatch },
    });

  test.each(['{etag}', '*', ' * ', '"x", {etag}', '{etag},"y"', 'W/"z" , {etag}'])(
    'succeeds if it matches the current record: %s',
    async (header) => {
      const { url, etag } = await made();
      expect((await change(url, header.replace('{etag}', etag))).status).toBe(done);
    },
  );

  test.each(['"x"', 'W/{etag}', '"x", "y"', '', '""', '{etag}x', 'x{etag}', '{bare}'])(
    'is 412 if it does not match, and nothing changes: %j',
    async (header) => {
      const { url, etag, record } = await made();
      const answer = await change(url, header.replace('{etag}', etag).replace('{bare}', etag.slice(1, -1)));
      expectFailure(answer, 'precondition_failed', of.resource.singular);
      expect((await world.get(url)).json()).toEqual(record);
    },
  );

  test.each([
    ['*', 'exists already'],
    ['{etag}', 'has an ETag of If-None-Match'],
    ['"x", W/{etag}', 'has an ETag of If-None-Match'],
  ])('with If-None-Match is 412 if it matches: %s', async (header, why) => {
    const { url, etag, record } = await made();
    const body = method === 'PATCH' ? { [text]: 'New' } : undefined;
    const send = (ifNoneMatch: string) =>
      world.send(method, url, body, { headers: { 'if-none-match': ifNoneMatch } });
    expectFailure(await send(header.replace('{etag}', etag)), 'precondition_failed', why);
    expect((await world.get(url)).json()).toEqual(record);
    expect((await send('"x"')).status).toBe(done);
  });

  test('is 412 after another change, until the record is read again', async () => {
    const { url, etag } = await made();
    const other = await world.send('PATCH', url, { [text]: 'Other' });
    expectFailure(await change(url, etag), 'precondition_failed');
    expect((await change(url, String(other.headers['etag']))).status).toBe(done);
  });

  test('of a record that does not exist is 404', async () => {
    expectFailure(await change(`${path}/no_such_record`, '*'), 'not_found');
  });

  test('allows one of many changes that read the same ETag', async () => {
    const { url, etag } = await made();
    const answers = await Promise.all(Array.from({ length: 8 }, () => change(url, etag)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([done, ...Array.from({ length: 7 }, () => (method === 'PATCH' ? 412 : 404))]);
  });
});
