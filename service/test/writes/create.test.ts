import { canonicalTime } from '@svc/exact-times/canonical-time';
import { createdAt, defaultOf } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, JSON_TYPE } from '../harness/answers.ts';
import { COMPANY, type Envelope } from '../harness/lists.ts';
import { newRecord, WRITES } from './cases.ts';
import { type Created, createWriteWorld, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const newest = async (path: string): Promise<unknown> =>
  (await world.get(`${path}?limit=1`)).json<Envelope>().data[0];

describe.each(WRITES)('POST $path', (of) => {
  const { path, resource, fields, parent } = of;
  const { transitions } = resource;
  const post = (body: unknown, headers = {}) => world.send('POST', path, body, { headers });

  test('is 201 with the record as lists show it, its path and its ETag', async () => {
    const before = Date.now();
    const answer = await post(newRecord(of));
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toBe(JSON_TYPE);
    expect(answer.headers['cache-control']).toBe('no-store');
    const created = answer.json<Created>();
    expect(created.id).toMatch(new RegExp(`^${resource.idPrefix}_[0-9a-z]{26}$`));
    expect(Object.keys(created)).toEqual(Object.keys(resource.fields));
    expect(created).toMatchObject(newRecord(of));
    expect(await newest(path)).toEqual(created);
    expect(answer.headers['location']).toBe(`${path}/${created.id}`);
    const single = await world.get(String(answer.headers['location']));
    expect(single.text).toBe(answer.text);
    expect(single.headers['etag']).toBe(answer.headers['etag']);
    for (const name of of.serverSet) {
      expect(created[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(Date.parse(String(created[name]))).toBeGreaterThanOrEqual(before - 1);
    }
    for (const name of ['idempotent-replayed', 'dry-run']) expect(answer.headers).not.toHaveProperty(name);
  });

  test('keeps a given id, and refuses it a second time with 409', async () => {
    for (const id of ['A', '0_-z', 'x'.repeat(64), `${resource.idPrefix}_01jq4d0e6tf3s9v2m8k5x7h1ab`]) {
      const answer = await post(newRecord(of, { id }));
      expect({ status: answer.status, id: answer.json<Created>().id }).toEqual({ status: 201, id });
      expectFailure(await post(newRecord(of, { id })), 'conflict', '/id is taken', id);
      expect((await world.get(`${path}/${id}`)).text).toBe(answer.text);
    }
  });

  test('accepts the id of a record of another list or workspace, which is another record', async () => {
    const other = await createWriteWorld(world.service);
    await other.create(of, { id: 'shared' });
    expect((await post(newRecord(of, { id: 'shared' }))).status).toBe(201);
  });

  test('has no paths below that of a batch', async () => {
    expectFailure(await world.send('DELETE', `${path}/batch/delete/x`), 'not_found');
  });

  test('requires only the fields that have no default', async () => {
    const required = fields.filter((field) => field.required).map(({ name }) => name);
    const body = Object.fromEntries(
      Object.entries(newRecord(of)).filter(([name]) => required.includes(name)),
    );
    const answer = await post(body);
    expect(answer.status).toBe(201);
    for (const { name } of fields.filter((field) => !field.required)) {
      expect(answer.json<Created>()[name]).toBe(defaultOf(resource.fields[name] ?? createdAt));
    }
  });

  describe.each(fields)('$name', ({ name, required, nullable, good, bad }) => {
    test('accepts each allowed value and returns it', async () => {
      for (const value of good) {
        // A state with a time sets that field, so it is not null.
        const state =
          name !== transitions?.field && transitions !== undefined ? { [transitions.field]: 'draft' } : {};
        const answer = await post(newRecord(of, { ...state, [name]: value }));
        expect({ value, status: answer.status, text: answer.text }).toMatchObject({ value, status: 201 });
        const shown = answer.json<Created>()[name];
        if (resource.fields[name]?.kind === 'time' && value !== null)
          expect(Date.parse(String(shown))).toBe(Date.parse(String(value).replace('-0330', '-03:30')));
        else expect(shown).toEqual(value);
        expect((await world.get(String(answer.headers['location']))).text).toBe(answer.text);
      }
    });

    test('is refused with its JSON pointer for any other value', async () => {
      for (const value of [...bad, ...(nullable ? [] : [null])]) {
        const answer = await post(newRecord(of, { [name]: value }));
        expect({ value, status: answer.status }).toEqual({ value, status: 400 });
        expectFailure(answer, 'invalid_body', `/${name} must be `);
      }
    });

    test(required ? 'is required' : 'may be left out', async () => {
      const { [name]: _, ...rest } = newRecord(of);
      const answer = await post(rest);
      if (required) expectFailure(answer, 'invalid_body', `/${name} is required`);
      else expect(answer.status).toBe(201);
    });
  });

  test.each(['', 'a b', 'a/b', 'é', '..', 'x'.repeat(65), 5, null, {}, ['a']])(
    'refuses the id %j',
    async (id) => {
      expectFailure(await post(newRecord(of, { id })), 'invalid_body', '/id must be an id');
    },
  );

  test('refuses fields that the service sets', async () => {
    for (const name of of.serverSet) {
      const body = newRecord(of, { [name]: '2026-03-01T09:30:00Z' });
      expectFailure(await post(body), 'invalid_body', `/${name} is set by the service`);
    }
  });

  test.each([
    'Title',
    'extra',
    'workspaceId',
    'doc',
    'a~b/c',
    '',
    'toString',
    'constructor',
    'hasOwnProperty',
  ])('refuses the unknown field %j and names the allowed ones', async (name) => {
    const pointer = `/${name.replace('~', '~0').replace('/', '~1')} is not a field here`;
    expectFailure(await post(newRecord(of, { [name]: 1 })), 'invalid_body', pointer, 'allowed: id');
  });

  test('reports everything that is wrong at once', async () => {
    const wrong = Object.fromEntries(fields.map(({ name, bad }) => [name, bad[0]]));
    const pointers = fields.map(({ name }) => `/${name} must be `);
    expectFailure(await post({ ...wrong, extra: 1 }), 'invalid_body', ...pointers, '/extra is not');
  });

  test('accepts no query parameters', async () => {
    for (const query of ['limit=1', 'dryRun=true']) {
      const answer = await world.send('POST', `${path}?${query}`, newRecord(of));
      expectFailure(answer, 'invalid_parameter', query.split('=')[0] ?? '');
    }
  });

  // Companies belong to no company.
  test.skipIf(parent === undefined)(
    'refuses a company that does not exist, also one of another workspace, and names it',
    async () => {
      const other = await createWriteWorld(world.service);
      await other.send('POST', '/v1/companies', { id: 'elsewhere', name: 'Elsewhere' });
      for (const companyId of ['no_such_company', 'elsewhere', COMPANY.toUpperCase()]) {
        const answer = await post(newRecord(of, { companyId }));
        expectFailure(answer, 'invalid_body', '/companyId names a company that does not exist', companyId);
      }
    },
  );

  test('is counted at once, exactly', async () => {
    const { rows } = await world.service.pool.query(
      `select (select count(*) from ${resource.list.relation} where workspace_id = $1) as records,
        (select records from record_counts where workspace_id = $1 and resource = $2 and company_id = '') as kept`,
      [world.workspaceId, resource.name],
    );
    expect(rows[0]?.kept).toBeGreaterThan(0);
    expect(rows[0]?.records).toBe(rows[0]?.kept);
  });
});

test('content that is created as published has the time of its publication', async () => {
  const content = WRITES.find(({ name }) => name === 'content');
  if (content === undefined) throw new Error('there is no content');
  const stamped = await world.create(content, { status: 'published', publishedAt: null });
  expect(canonicalTime(String(stamped['publishedAt']), 'microseconds')).toBe(stamped['createdAt']);
  const own = await world.create(content, { status: 'published', publishedAt: '2020-01-01T00:00:00Z' });
  expect(own['publishedAt']).toBe('2020-01-01T00:00:00Z');
  expect((await world.create(content, { status: 'draft', publishedAt: null }))['publishedAt']).toBeNull();
});
