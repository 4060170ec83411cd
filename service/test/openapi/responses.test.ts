import { openApiDocument } from '@svc/openapi';
import { isStream, type Parameter, type Reference } from '@svc/openapi/types';
import { CONTRACT, type ResourceContract, rangesOf, sortsOfRange } from '@svc/sdk/contract';
import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../harness/world.ts';

// The harness checks every response against the document. These tests cause the responses that the document describes.

const { paths, components } = openApiDocument({ publicUrl: 'http://svc.test', version: '0' });
const operations = Object.entries(paths).flatMap(([path, { get }]) =>
  // A stream has no end; service/test/waiting/stream.test.ts has its responses.
  get === undefined || isStream(get) ? [] : [{ path, ...get }],
);

const parameterOf = (found: Parameter | Reference): Parameter => {
  if (!('$ref' in found)) return found;
  const component = Object.entries(components.parameters).find(([name]) => found.$ref.endsWith(`/${name}`));
  if (component === undefined) throw new Error(`${found.$ref} leads nowhere`);
  return component[1];
};
const queryOf = (parameters: readonly (Parameter | Reference)[]): readonly Parameter[] =>
  parameters.map(parameterOf).filter((parameter) => parameter.in === 'query');

/** Values that the schema of a parameter allows. */
function valuesOf({ schema }: Parameter): readonly string[] {
  const { enum: values, items, minimum, maximum, default: fallback, type, examples } = schema;
  const given = [values, examples, Object(items).enum].filter(Array.isArray).flat();
  const bounds = [minimum, maximum, fallback].filter((value) => value !== undefined);
  return [...given, ...bounds, ...(type === 'boolean' ? [true, false] : [])].map(String);
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

/** The path with the id of an existing item. */
async function existing(path: string): Promise<string> {
  if (!path.endsWith('/{id}')) return path;
  const list = await world.get({ path: path.replace('/{id}', '') }, { limit: 1 });
  const [item] = list.json<{ data: readonly { id: string }[] }>().data;
  if (item === undefined) throw new Error(`${path} has no item`);
  return path.replace('{id}', item.id);
}
async function oldestChange(): Promise<string> {
  const list = await world.service.request(world.token, '/v1/changes?direction=before&limit=1');
  return String(list.json<{ data: readonly { id: string }[] }>().data[0]?.id);
}
const ask = async (path: string, options?: InjectOptions): Promise<number> =>
  (await world.service.request(world.token, path, options)).status;

/** The sort that a range of a list needs, if the list has other sorts too. */
function sortOf(path: string, parameter: string): string | undefined {
  const resource: ResourceContract | undefined = Object.values(CONTRACT).find(
    ({ name }) => path === `/v1/${name}`,
  );
  const range = resource?.sorts === undefined ? undefined : rangesOf(resource)[parameter];
  return range && sortsOfRange(range)[0];
}

describe.each(operations)('$operationId', ({ path, parameters, responses }) => {
  test('succeeds, also with HEAD, and with If-None-Match if the document has 304', async () => {
    const url = await existing(path);
    expect(await ask(url)).toBe(200);
    expect(await ask(url, { method: 'HEAD' })).toBe(200);
    const conditional = await ask(url, { headers: { 'if-none-match': '*' } });
    expect(conditional).toBe('304' in responses ? 304 : 200);
  });

  test('accepts each documented query parameter with each documented value, and no other', async () => {
    const url = await existing(path);
    for (const parameter of queryOf(parameters)) {
      for (const value of valuesOf(parameter)) {
        // A wait needs a position. There are changes after this one, so nobody waits. A range needs its sort.
        const sort = sortOf(path, parameter.name);
        const beside =
          parameter.name === 'wait'
            ? `&after=${await oldestChange()}`
            : sort === undefined
              ? ''
              : `&sort=${sort}`;
        expect(await ask(`${url}?${parameter.name}=${value}${beside}`)).toBe(200);
      }
    }
    const others = ['sort', 'status', 'companyId', 'kind', 'approximate', 'limit', 'offset'].filter(
      (name) => !queryOf(parameters).some((parameter) => parameter.name === name),
    );
    for (const name of others) expect(await ask(`${url}?${name}=active`)).toBe(400);
  });

  test('fails as documented: without a key, without quota, outside the scope, for an id that does not exist', async () => {
    const { service, workspaceId } = world;
    const url = await existing(path);
    expect((await service.request(null, url)).status).toBe(401);

    const limited = await service.token(workspaceId, { companyId: 'com_one', mode: 'test' });
    const other = (await service.request(limited, `${url}?companyId=com_two`)).status;
    // Any operation can be refused because of the network of the client. That 403 has no other reason.
    const refusesScope = JSON.stringify(responses).includes('/InsufficientScope');
    expect(other).toBe(refusesScope ? 403 : 400);

    if ('404' in responses) expect(await ask(path.replace('{id}', 'nothing'))).toBe(404);

    const full = await service.workspace();
    const live = await service.token(full);
    await service.pool.query('update live_meters set live_quota = 0 where workspace_id = $1', [full]);
    expect((await service.request(live, url)).status).toBe(429);
  });
});
