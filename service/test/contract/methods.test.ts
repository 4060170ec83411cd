import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { LISTS } from '../harness/lists.ts';
import type { TestService } from '../harness/service.ts';
import { createWorld, seedRow, type World } from '../harness/world.ts';

let world: World;
let service: TestService;
beforeAll(async () => {
  world = await createWorld();
  service = world.service;
});

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  service.request(world.token, url, { headers });

describe('HEAD', () => {
  test.each(
    LISTS.flatMap((list) => [list.path, `${list.path}/${seedRow(list, 4).id}`, `${list.path}?limit=0`]),
  )('answers %s as GET does, without the body', async (url) => {
    const [head, full] = [
      await service.request(world.token, url, { method: 'HEAD' }),
      await get(url, { 'request-id': 'same' }),
    ];
    expect(head.status).toBe(full.status);
    expect(head.text).toBe('');
    const headers = ({ etag, 'content-type': type, 'content-length': length }: typeof head.headers) => ({
      etag,
      type,
      length: String(length),
    });
    expect(headers(head.headers)).toEqual(headers(full.headers));
  });

  test('without a key is 401 with the challenge', async () => {
    const answer = await service.request(null, '/v1/audits', { method: 'HEAD' });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('a method that a path does not have', () => {
  const methods = ['PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;
  const readOnly = LISTS.filter(({ resource }) => !resource.writable);

  test.each(LISTS.flatMap(({ path }) => methods.map((method) => ({ method, path }))))(
    '$method $path is 405 with what is allowed',
    async ({ method, path }) => {
      const answer = await service.request(world.token, path, { method });
      expectFailure(answer, 'method_not_allowed', method);
      const allowed = String(answer.headers['allow']).split(', ');
      expect(allowed).toEqual(expect.arrayContaining(['GET', 'HEAD']));
      expect(allowed).not.toContain(method);
    },
  );

  test.each(readOnly.map(({ path }) => path))('no key can write to %s', async (path) => {
    const token = await service.token(world.workspaceId, { mode: 'test', access: 'write' });
    const item = `${path}/${seedRow(LISTS.find((list) => list.path === path) ?? raise(), 4).id}`;
    const before = (await get(item)).text;
    for (const url of [path, item, `${path}/batch`]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        const answer = await service.request(token, url, { method, payload: {} });
        expect({ url, method, status: answer.status }).toEqual({ url, method, status: 405 });
        expect(answer.headers['allow']).toBe('GET, HEAD');
      }
    }
    expect((await get(item)).text).toBe(before);
  });

  test('is refused after the key is checked: without a key it is 401', async () => {
    expectFailure(await service.request(null, '/v1/audits', { method: 'DELETE' }), 'invalid_key');
  });
});

const raise = (): never => {
  throw new Error('there is no such list');
};
