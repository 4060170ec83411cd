import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { TEST_ACTOR } from '../harness/service.ts';
import { BELONGING, CHANGEABLE, newRecord, writeCaseOf } from './cases.ts';
import { type Created, createWriteWorld, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const remove = (url: string, headers = {}) => world.send('DELETE', url, undefined, { headers });

describe.each(CHANGEABLE)('DELETE $path/{id}', (of) => {
  test('is 204 without a body, then 404; the record is no longer in its list and the counts', async () => {
    const kept = await world.create(of);
    const { id } = await world.create(of);
    const counts = async () =>
      (
        await world.service.pool.query<{ records: number }>(
          `select records from record_counts where workspace_id = $1 and resource = $2 and records > 0 order by company_id`,
          [world.workspaceId, of.name],
        )
      ).rows.map(({ records }) => records);
    const before = await counts();
    const answer = await remove(`${of.path}/${id}`);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    for (const name of ['content-type', 'etag']) expect(answer.headers).not.toHaveProperty(name);
    expectFailure(await remove(`${of.path}/${id}`), 'not_found', of.resource.singular);
    expectFailure(await world.get(`${of.path}/${id}`), 'not_found');
    const { data } = (await world.get(`${of.path}?limit=2`)).json<{ data: readonly Created[] }>();
    expect(data.map((item) => item.id)).toContain(kept.id);
    expect(data.map((item) => item.id)).not.toContain(id);
    // The counts of the workspace and, if it has one, of its company.
    expect((await counts()).map((records, i) => (before[i] ?? 0) - records)).toEqual(before.map(() => 1));
  });

  test('is also 204 with a content type and no body; a body that is not JSON is refused', async () => {
    const { id } = await world.create(of);
    const url = `${of.path}/${id}`;
    const send = (payload: string, type = 'application/json') =>
      world.send('DELETE', url, payload, { headers: { 'content-type': type } });
    expectFailure(await send('{'), 'invalid_body');
    expectFailure(await send('x', 'text/plain'), 'unsupported_media_type');
    expect((await send('')).status).toBe(204);
    expectFailure(await send('', 'application/merge-patch+json'), 'not_found');
  });

  test('frees the id', async () => {
    await world.create(of, { id: 'again' });
    await remove(`${of.path}/again`);
    expect((await world.send('POST', of.path, newRecord(of, { id: 'again' }))).status).toBe(201);
  });

  test('accepts no parameters and no record of another workspace', async () => {
    const { id } = await world.create(of);
    expectFailure(await remove(`${of.path}/${id}?force=true`), 'invalid_parameter', 'force');
    const other = await createWriteWorld(world.service);
    const elsewhere = await other.create(of);
    expectFailure(await remove(`${of.path}/${elsewhere.id}`), 'not_found');
    expect((await other.get(`${of.path}/${elsewhere.id}`)).status).toBe(200);
  });
});

describe('a company', () => {
  const company = async (id: string): Promise<string> => {
    await world.send('POST', '/v1/companies', { id, name: id });
    return `/v1/companies/${id}`;
  };

  test.each(BELONGING)('cannot be deleted while it has $name', async (of) => {
    const url = await company(`with_${of.name}`);
    const { id } = await world.create(of, { companyId: `with_${of.name}` });
    expectFailure(
      await remove(url),
      'conflict',
      'Delete them first; a company with audits cannot be deleted.',
    );
    expect((await world.get(url)).status).toBe(200);
    const { immutable } = of.resource;
    expect((await remove(`${of.path}/${id}`)).status).toBe(immutable ? 405 : 204);
    expect((await remove(url)).status).toBe(immutable ? 409 : 204);
  });

  test('cannot be deleted while a key that is not revoked is limited to it', async () => {
    const url = await company('with_key');
    const { keyId } = await world.service.issue(world.workspaceId, { companyId: 'with_key' });
    expectFailure(await remove(url), 'conflict', 'API keys');
    await world.service.keys.revoke(world.workspaceId, keyId, TEST_ACTOR);
    expect((await remove(url)).status).toBe(204);
  });

  test('that was deleted accepts no more records', async () => {
    const url = await company('gone');
    expect((await remove(url)).status).toBe(204);
    const audits = writeCaseOf('audits');
    const answer = await world.send('POST', audits.path, newRecord(audits, { companyId: 'gone' }));
    expectFailure(answer, 'invalid_body', '/companyId');
  });

  test('that is deleted while its records are created is deleted without records, or stays with them', async () => {
    const audits = writeCaseOf('audits');
    for (let i = 0; i < 10; i++) {
      const id = `race_${i}`;
      const url = await company(id);
      const [removed, made] = await Promise.all([
        remove(url),
        world.send('POST', audits.path, newRecord(audits, { companyId: id })),
      ]);
      expect([
        [204, 400],
        [409, 201],
      ]).toContainEqual([removed.status, made.status]);
    }
  });
});
