import { writableFields } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { CHANGEABLE, type WriteCase, writeCaseOf } from './cases.ts';
import { type Created, createWriteWorld, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const patch = ({ path }: WriteCase, id: string, body: unknown, headers = {}) =>
  world.send('PATCH', `${path}/${id}`, body, { headers });

describe.each(CHANGEABLE)('PATCH $path/{id}', (of) => {
  const { resource, fields, path } = of;
  const hasUpdatedAt = 'updatedAt' in resource.fields;

  test('changes only the given fields, and returns the record and its new ETag', async () => {
    for (const { name, good } of fields.filter((each) => each.name !== resource.transitions?.field)) {
      const before = await world.create(of);
      for (const value of good) {
        const answer = await patch(of, before.id, { [name]: value });
        expect({ name, value, status: answer.status }).toEqual({ name, value, status: 200 });
        const after = answer.json<Created>();
        const { [name]: shown, updatedAt: _, ...rest } = after;
        expect(before).toMatchObject(rest);
        if (resource.fields[name]?.kind !== 'time' || value === null) expect(shown).toEqual(value);
        else expect(Date.parse(String(shown))).toBe(Date.parse(String(value).replace('-0330', '-03:30')));
        const single = await world.get(`${path}/${before.id}`);
        expect({ text: single.text, etag: single.headers['etag'] }).toEqual({
          text: answer.text,
          etag: answer.headers['etag'],
        });
      }
    }
  });

  test('sets a nullable field to null, and refuses null for others', async () => {
    const { id } = await world.create(of);
    for (const { name, nullable } of fields) {
      const answer = await patch(of, id, { [name]: null });
      if (nullable) expect(answer.json()).toMatchObject({ [name]: null });
      else expectFailure(answer, 'invalid_body', `/${name} must be`);
    }
  });

  test('refuses what is not allowed with its JSON pointer, and changes nothing', async () => {
    const record = await world.create(of);
    for (const { name, bad } of fields) {
      for (const value of bad) {
        expectFailure(await patch(of, record.id, { [name]: value }), 'invalid_body', `/${name} must be`);
      }
    }
    for (const name of ['id', ...of.serverSet]) {
      expectFailure(
        await patch(of, record.id, { [name]: record[name] }),
        'invalid_body',
        `/${name} is set by`,
      );
    }
    const allowed = Object.keys(writableFields(resource, 'patch')).join(', ');
    expectFailure(await patch(of, record.id, { extra: null }), 'invalid_body', '/extra is not', allowed);
    expect((await world.get(`${path}/${record.id}`)).json()).toEqual(record);
  });

  test('that changes nothing leaves the record, its ETag and updatedAt unchanged', async () => {
    const record = await world.create(of);
    const { etag } = (await world.get(`${path}/${record.id}`)).headers;
    const same = Object.fromEntries(fields.map(({ name }) => [name, record[name]]));
    for (const body of [{}, same]) {
      const answer = await patch(of, record.id, body);
      expect({ status: answer.status, body: answer.json(), etag: answer.headers['etag'] }).toEqual({
        status: 200,
        body: record,
        etag,
      });
    }
  });

  // Only for resources with the time of the last change.
  test.runIf(hasUpdatedAt)('raises updatedAt with each change, and keeps createdAt', async () => {
    const record = await world.create(of);
    let last = String(record['updatedAt']);
    for (const title of ['One', 'Two', 'Three']) {
      const after = (await patch(of, record.id, { title })).json<Created>();
      expect(String(after['updatedAt']) > last).toBe(true);
      expect(after['createdAt']).toBe(record['createdAt']);
      last = String(after['updatedAt']);
    }
  });

  test('of a record that does not exist is 404', async () => {
    expectFailure(await patch(of, 'no_such_record', {}), 'not_found', of.resource.singular);
    const other = await createWriteWorld(world.service);
    const { id } = await other.create(of);
    expectFailure(await patch(of, id, {}), 'not_found');
  });

  test('keeps the position in the list', async () => {
    const [first, second] = [await world.create(of), await world.create(of)];
    const [text] = of.fields.filter(({ name }) => name === 'title' || name === 'name');
    await patch(of, first.id, { [text?.name ?? '']: 'Changed' });
    const { data } = (await world.get(`${path}?limit=2`)).json<{ data: readonly Created[] }>();
    expect(data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(data[1]).toMatchObject({ [text?.name ?? '']: 'Changed' });
  });

  test('loses none of many concurrent changes of one record', async () => {
    const { id } = await world.create(of);
    const singles = fields.filter(({ name }) => name !== resource.transitions?.field && name !== 'companyId');
    const wanted = Object.fromEntries(singles.map(({ name, good }) => [name, good[1] ?? null]));
    const answers = await Promise.all(
      Object.entries(wanted).map(([name, value]) => patch(of, id, { [name]: value })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const times = singles.filter(({ name }) => resource.fields[name]?.kind === 'time');
    const plain = Object.entries(wanted).filter(([name]) => !times.some((time) => time.name === name));
    expect((await world.get(`${path}/${id}`)).json()).toMatchObject(Object.fromEntries(plain));
  });
});

describe.each(CHANGEABLE.filter(({ parent }) => parent !== undefined))('the company of $path', (of) => {
  const counts = async () => {
    const { rows } = await world.service.pool.query<{ company: string; records: number }>(
      `select company_id as company, records from record_counts where workspace_id = $1 and resource = $2`,
      [world.workspaceId, of.name],
    );
    return Object.fromEntries(rows.map(({ company, records }) => [company, records]));
  };

  test('can be changed, and the counts follow', async () => {
    const { id } = await world.create(of);
    await world.create(of, { companyId: OTHER_COMPANY });
    const before = await counts();
    const answer = await patch(of, id, { companyId: OTHER_COMPANY });
    expect(answer.json()).toMatchObject({ companyId: OTHER_COMPANY });
    expect(await counts()).toEqual({
      '': before[''],
      [COMPANY]: (before[COMPANY] ?? 0) - 1,
      [OTHER_COMPANY]: (before[OTHER_COMPANY] ?? 0) + 1,
    });
    const listed = await world.get(`${of.path}?companyId=${OTHER_COMPANY}&limit=100`);
    expect(listed.json<{ data: readonly Created[] }>().data.map((item) => item.id)).toContain(id);
  });

  test('must exist', async () => {
    const { id } = await world.create(of);
    const before = await counts();
    const answer = await patch(of, id, { companyId: 'no_such_company' });
    expectFailure(answer, 'invalid_body', '/companyId names a company that does not exist: no_such_company');
    expect(await counts()).toEqual(before);
  });
});

test('a company from before the rules of its text is read as it is, and its other fields can be changed', async () => {
  const companies = writeCaseOf('companies');
  const { id, createdAt } = await world.create(companies);
  const old = { id, name: ' ', domain: 'not a domain!!', createdAt };
  await world.service.pool.query(
    'update companies set name = $3, domain = $4, doc = $5 where workspace_id = $1 and id = $2',
    [world.workspaceId, id, old.name, old.domain, JSON.stringify(old)],
  );
  const single = await world.get(`${companies.path}/${id}`);
  expect(single.json()).toEqual(old);
  const named = await patch(companies, id, { name: 'Acme' });
  expect(named.json()).toEqual({ ...old, name: 'Acme' });
  expectFailure(
    await patch(companies, id, { domain: old.domain }),
    'invalid_body',
    '/domain must be a domain name',
  );
  expect((await patch(companies, id, { domain: null })).json()).toEqual({
    ...old,
    name: 'Acme',
    domain: null,
  });
});

test('audits cannot be changed or deleted: 405 with the allowed methods', async () => {
  const audits = writeCaseOf('audits');
  const { id } = await world.create(audits);
  for (const method of ['PATCH', 'DELETE'] as const) {
    const answer = await world.send(method, `${audits.path}/${id}`, method === 'DELETE' ? undefined : {});
    expectFailure(answer, 'method_not_allowed', method);
    expect(answer.headers['allow']).toBe('GET, HEAD, PUT');
  }
  expect((await world.get(`${audits.path}/${id}`)).status).toBe(200);
});
