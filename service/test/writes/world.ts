import type { InjectOptions } from 'fastify';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';
import { type Body, newRecord, type WriteCase } from './cases.ts';

/** A workspace with two companies, created over HTTP, and keys that may write to it. */
export interface WriteWorld {
  readonly service: TestService;
  readonly workspaceId: string;
  /** A live key with write access. */
  readonly live: string;
  /** A test key with write access: its writes are dry runs. */
  readonly sandbox: string;
  /** A test key that may only read. Its requests have no entries. */
  readonly reader: string;
  send(method: Method, url: string, body?: unknown, options?: SendOptions): Promise<TestAnswer>;
  get(url: string): Promise<TestAnswer>;
  /** Creates a record and returns it. Throws if it is refused. */
  create(of: WriteCase, over?: Body): Promise<Created>;
}

export type Method = 'POST' | 'PATCH' | 'DELETE' | 'PUT';
export type Created = Body & { readonly id: string };

export interface SendOptions {
  /** Default: the live key. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function createWriteWorld(service?: TestService): Promise<WriteWorld> {
  const of = service ?? (await createTestService());
  const workspaceId = await of.workspace();
  const live = await of.token(workspaceId, { access: 'write' });
  const world: WriteWorld = {
    service: of,
    workspaceId,
    live,
    sandbox: await of.token(workspaceId, { access: 'write', mode: 'test' }),
    reader: await of.token(workspaceId, { mode: 'test' }),
    send: (method, url, body, { token = live, headers = {} } = {}) =>
      of.request(token, url, { method, ...payloadOf(body, headers) }),
    get: (url) => of.request(world.reader, url),
    create: async (each, over) => {
      const answer = await world.send('POST', each.path, newRecord(each, over));
      if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
      return answer.json<Created>();
    },
  };
  for (const id of [COMPANY, OTHER_COMPANY]) await world.send('POST', '/v1/companies', { id, name: id });
  return world;
}

/** Text is sent unchanged, other values as JSON. Undefined: no body. */
function payloadOf(body: unknown, headers: Readonly<Record<string, string>>): InjectOptions {
  if (body === undefined) return { headers };
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  return { payload, headers: { 'content-type': 'application/json', ...headers } };
}
