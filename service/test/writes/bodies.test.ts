import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { CHANGEABLE, newRecord, WRITES } from './cases.ts';
import { createWriteWorld, type Method, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
  for (const of of WRITES) await world.create(of, { id: 'there' });
});

interface Target {
  readonly method: Method;
  readonly url: string;
}

const TARGETS: readonly Target[] = [
  ...WRITES.flatMap(({ path }): Target[] => [
    { method: 'POST', url: path },
    { method: 'POST', url: `${path}/batch` },
  ]),
  ...CHANGEABLE.map(({ path }): Target => ({ method: 'PATCH', url: `${path}/there` })),
];

describe.each(TARGETS)('the body of $method $url', ({ method, url }) => {
  test.each([
    '{',
    '{"name":}',
    "{'name':1}",
    'undefined',
    '{"a":1}}',
    '\u0000',
    '\ufeff{',
    'NaN',
    '{"__proto__":{"id":"x"}}',
    '{"__proto__":null}',
    '{"constructor":{"prototype":{"id":"x"}}}',
    '{"data":[{"__proto__":{"id":"x"}}]}',
  ])('is refused if it is not valid JSON, or names a prototype: %j', async (body) => {
    expectFailure(await world.send(method, url, body), 'invalid_body');
    expect({}).not.toHaveProperty('id');
  });

  test('is refused before its fields are checked if it has more fields than any record', async () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 1]));
    const answer = await world.send(method, url, url.endsWith('/batch') ? { data: [many] } : many);
    expectFailure(
      answer,
      'invalid_body',
      url.endsWith('/batch') ? '/data/0' : 'The body',
      'at most 100 fields',
    );
  });

  test.each([
    ['nested too deeply', `${'['.repeat(100_000)}`, 'nested deeper than 32 levels'],
    [
      'nested too deeply in a field',
      `{"id":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`,
      'nested deeper',
    ],
    ['of more values than a batch', `[${'[],'.repeat(200_000)}0]`, 'has more than 102000 values'],
    ['one field over and over', `{${'"id":1,'.repeat(110_000)}"id":1}`, 'has more than 102000 values'],
  ])('is refused before it is parsed when it is %s', async (_, body, message) => {
    expectFailure(await world.send(method, url, body), 'invalid_body', message);
  });

  test.each([
    '{"id":"a","id":"a"}',
    '{"data":[{"id":"a"}],"data":[{"id":"b"}]}',
    '{"id":1,"\\u0069d":{"id":2}}',
  ])('is refused if an object has the same name twice: %s', async (body) => {
    expectFailure(await world.send(method, url, body), 'invalid_body', 'a name twice in one object');
  });

  test('is refused if it is empty or missing', async () => {
    expectFailure(await world.send(method, url, ''), 'invalid_body', 'body');
    expectFailure(await world.send(method, url), 'invalid_body');
  });

  test.each(['null', '[]', '"x"', '5', 'true'])('is refused if it is not an object: %s', async (body) => {
    expectFailure(await world.send(method, url, body), 'invalid_body');
  });

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/octet-stream',
    'x',
  ])('is 415 as %s', async (type) => {
    const answer = await world.send(method, url, '{}', { headers: { 'content-type': type } });
    expectFailure(answer, 'unsupported_media_type');
  });
});

describe.each(WRITES)('a record of $path', (of) => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'may come as %s',
    async (type) => {
      const answer = await world.send('POST', of.path, newRecord(of), { headers: { 'content-type': type } });
      expect(answer.status).toBe(201);
    },
  );

  test('is 404 for any text that is not an id', async () => {
    for (const id of ['%00', '%zz', '%F0%9F%99%82', 'x'.repeat(5000), '__proto__', 'constructor', '%2e%2e']) {
      for (const method of of.resource.immutable ? [] : (['PATCH', 'DELETE'] as const)) {
        const answer = await world.send(method, `${of.path}/${id}`, method === 'PATCH' ? {} : undefined);
        expectFailure(answer, 'not_found');
      }
    }
  });
});

describe.each(CHANGEABLE)('a change in $path', ({ path }) => {
  test('may come as a merge patch', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await world.send('PATCH', `${path}/there`, '{}', { headers })).status).toBe(200);
    expectFailure(await world.send('PATCH', `${path}/there`, '{', { headers }), 'invalid_body');
  });

  test('is the only request that accepts a merge patch: a creation is 415', async () => {
    for (const type of ['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=utf-8']) {
      const headers = { 'content-type': type };
      for (const url of [path, `${path}/batch`]) {
        expectFailure(await world.send('POST', url, '{}', { headers }), 'unsupported_media_type');
      }
    }
  });

  test('is not compressed', async () => {
    const send = (encoding: string) =>
      world.send('PATCH', `${path}/there`, '{}', {
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
    expectFailure(await send('gzip'), 'unsupported_media_type');
    expect((await send('identity')).status).toBe(200);
  });
});
