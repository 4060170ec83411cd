import {
  etagOf,
  type Fetch,
  SvcConflictError,
  SvcError,
  SvcIdempotencyMismatchError,
  SvcInsufficientScopeError,
  SvcInvalidBodyError,
  SvcInvalidTransitionError,
  SvcNetworkError,
  SvcNotFoundError,
  SvcPreconditionFailedError,
} from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from './client.ts';
import { failing, observe, refusalOf, replacing } from './faults.ts';
import { idsOf } from './lists/lists.ts';

const service = await createTestService();
const fetchApp = fetchOf(service.app);
let workspaceId: string;
let token: string;
let svc: ReturnType<typeof clientOf>;
let companyId: string;

/** The requests of `svc`, as method and path. */
const sent: string[] = [];
const recording: Fetch = (url, init) => {
  sent.push(`${init.method} ${new URL(url).pathname}`);
  return fetchApp(url, init);
};

beforeEach(async () => {
  sent.splice(0);
  workspaceId = await service.workspace();
  token = await service.token(workspaceId, { access: 'write' });
  svc = clientOf(service.app, token, { fetch: recording });
  companyId = (await svc.companies.create({ name: 'Acme' })).id;
});

const auditOf = (score: number) => ({ companyId, headlineScore: score, completedAt: '2026-03-01T09:30:00Z' });
const audits = (count: number) => Array.from({ length: count }, (_, i) => auditOf(i % 101));

/** A client whose connection breaks after this many requests that the service carried out. */
const losing = (answers: number) =>
  observe(service, token, { fetch: failing(fetchApp, answers, 'after') }).svc;

describe('create', () => {
  test('returns the record as the list shows it, with its ETag', async () => {
    const audit = await svc.audits.create(auditOf(74));
    expect((await svc.audits.list()).data).toEqual([audit]);
    expect(etagOf(audit)).toMatch(/^".+"$/);
    expect(etagOf(await svc.audits.get(audit.id))).toBe(etagOf(audit));
  });

  test('that is retried after its response was lost creates one record', async () => {
    const audit = await losing(3).audits.create(auditOf(74));
    expect(await idsOf(svc.audits.list())).toEqual([audit.id]);
  });

  test('with an idempotency key of the caller is carried out once, even if it is called several times', async () => {
    const options = { idempotencyKey: 'nightly-1', retries: Number.POSITIVE_INFINITY };
    const all = await Promise.all(Array.from({ length: 5 }, () => svc.audits.create(auditOf(1), options)));
    expect(await idsOf(svc.audits.list())).toEqual([all[0]?.id]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    await expect(svc.audits.create(auditOf(2), options)).rejects.toThrow(SvcIdempotencyMismatchError);
  });

  test('with an id that is taken, an invalid field or a key that may only read is refused', async () => {
    const audit = { id: 'aud_mine', ...auditOf(1) };
    await svc.audits.create(audit);
    await expect(svc.audits.create(audit)).rejects.toThrow(SvcConflictError);
    await expect(svc.audits.create(auditOf(101))).rejects.toThrow(SvcInvalidBodyError);
    const reader = clientOf(service.app, await service.token(workspaceId));
    await expect(reader.audits.create(auditOf(1))).rejects.toThrow(SvcInsufficientScopeError);
  });

  test('with a test key is a dry run: it returns the record and changes nothing', async () => {
    const sandbox = clientOf(
      service.app,
      await service.token(workspaceId, { mode: 'test', access: 'write' }),
    );
    expect(sandbox.mode).toBe('test');
    expect(await sandbox.audits.create(auditOf(5))).toMatchObject({ headlineScore: 5 });
    expect(await idsOf(svc.audits.list())).toEqual([]);
  });
});

describe('createMany', () => {
  test('sends batches of up to 1,000, and returns the records in the order of the input', async () => {
    const created = await svc.audits.createMany(audits(2_300));
    expect(created.map(({ headlineScore }) => headlineScore)).toEqual(
      audits(2_300).map(({ headlineScore }) => headlineScore),
    );
    expect(await svc.audits.count()).toMatchObject({ count: 2_300 });
    expect(sent.filter((request) => request === 'POST /v1/audits/batch')).toHaveLength(3);
    expect(await idsOf(svc.audits.tail({ follow: false }))).toEqual(created.map(({ id }) => id));
  });

  test('keeps to the limits of the service for records and bytes', async () => {
    const long = {
      companyId,
      source: 's',
      url: 'https://news.example.com/1',
      title: 't',
      excerpt: '€'.repeat(5_000),
      sentiment: 'neutral',
      publishedAt: '2026-03-01T09:30:00Z',
    } as const;
    expect(await svc.mentions.createMany(Array(600).fill(long))).toHaveLength(600);
    expect(sent.filter((request) => request === 'POST /v1/mentions/batch')).toHaveLength(2);
  });

  test('sends nothing when there is nothing', async () => {
    sent.splice(0);
    expect(await svc.audits.createMany([])).toEqual([]);
    expect(sent).toEqual([]);
  });

  test('reads the source step by step, and yields each batch when it is created', async () => {
    let read = 0;
    async function* source() {
      for (const audit of audits(25)) {
        read += 1;
        yield audit;
      }
    }
    const seen: (readonly [number, number])[] = [];
    for await (const batch of svc.audits.createBatches(source(), { batchSize: 10 }))
      seen.push([batch.length, read]);
    expect(seen).toEqual([
      [10, 11],
      [10, 21],
      [5, 25],
    ]);
  });

  test('that is retried after responses were lost creates each record once', async () => {
    const created = await losing(2).audits.createMany(audits(30), { batchSize: 10 });
    expect(created).toHaveLength(30);
    expect(await svc.audits.count()).toMatchObject({ count: 30 });
  });

  test('with an idempotency key of the caller can be called again as a whole', async () => {
    const options = { idempotencyKey: 'import-7', batchSize: 10 };
    const first = await svc.audits.createMany(audits(25), options);
    expect(await svc.audits.createMany(audits(25), options)).toEqual(first);
    expect(await svc.audits.count()).toMatchObject({ count: 25 });
  });

  test('of which one batch is refused says how many records the earlier batches created', async () => {
    const records = audits(25).with(17, auditOf(-1));
    const error = await refusalOf(svc.audits.createMany(records, { batchSize: 10 }));
    expect(error).toBeInstanceOf(SvcInvalidBodyError);
    expect(error.message).toContain('/data/7/headlineScore');
    expect(error.created).toBe(10);
    expect(await svc.audits.count()).toMatchObject({ count: 10 });
  });
});

describe('update', () => {
  test('changes the given fields, and returns the record', async () => {
    const item = await svc.content.create({ companyId, title: 'How' });
    expect(item.status).toBe('draft');
    const changed = await svc.content.update(item.id, {
      status: 'in_review',
      url: 'https://blog.example.com/1',
    });
    expect(changed).toMatchObject({ title: 'How', status: 'in_review', url: 'https://blog.example.com/1' });
    expect(await svc.content.update(item.id, { url: null })).toMatchObject({ url: null });
    await expect(svc.content.update(item.id, { status: 'archived' })).rejects.toThrow(
      SvcInvalidTransitionError,
    );
  });

  test('with `ifMatch` is refused if the record has changed since it was read', async () => {
    const read = await svc.companies.get(companyId);
    const written = await svc.companies.update(companyId, { name: 'Acme 2' }, { ifMatch: read });
    await expect(svc.companies.update(companyId, { name: 'Acme 3' }, { ifMatch: read })).rejects.toThrow(
      SvcPreconditionFailedError,
    );
    expect(
      await svc.companies.update(companyId, { name: 'Acme 3' }, { ifMatch: etagOf(written) }),
    ).toMatchObject({ name: 'Acme 3' });
  });

  test('with `ifMatch` whose response was lost throws the network failure, because the change may be its own', async () => {
    const read = await svc.companies.get(companyId);
    await expect(
      losing(1).companies.update(companyId, { name: 'Acme 2' }, { ifMatch: read }),
    ).rejects.toThrow(SvcNetworkError);
    const written = await svc.companies.get(companyId);
    expect(written).toMatchObject({ name: 'Acme 2' });
    const path = `/v1/companies/${companyId}`;
    const put = { body: { name: 'Acme 3' }, headers: { 'If-Match': etagOf(written) } };
    await expect(losing(1).request('PUT', path, put)).rejects.toThrow(SvcNetworkError);
    expect(await svc.companies.get(companyId)).toMatchObject({ name: 'Acme 3' });
  });

  test.each([
    [502, 502],
    [504, 504],
    [429, 412],
  ])('with `ifMatch` that gets %d, then 412, throws %d', async (first, thrown) => {
    const ifMatch = await svc.companies.get(companyId);
    const { svc: behindProxy, retries } = observe(service, token, { fetch: replacing(fetchApp, first) });
    const update = behindProxy.companies.update(companyId, { name: 'Acme 2' }, { ifMatch });
    expect(await refusalOf(update)).toMatchObject({ status: thrown });
    expect(retries).toHaveLength(1);
  });

  test('with `ifMatch` of a record from a list is refused, because a list has no ETags of records', async () => {
    const [listed] = (await svc.companies.list()).data;
    await expect(svc.companies.update(companyId, { name: 'B' }, { ifMatch: listed })).rejects.toThrow(
      SvcError,
    );
  });
});

describe('delete', () => {
  test('deletes the record, and is refused if the record does not exist', async () => {
    await svc.companies.delete(companyId);
    await expect(svc.companies.get(companyId)).rejects.toThrow(SvcNotFoundError);
    await expect(svc.companies.delete(companyId)).rejects.toThrow(SvcNotFoundError);
  });

  test('whose response was lost succeeds if the retry finds no record', async () => {
    await losing(1).companies.delete(companyId);
    await expect(svc.companies.get(companyId)).rejects.toThrow(SvcNotFoundError);
  });

  test('with `ifMatch` is refused if the record has changed since it was read', async () => {
    const read = await svc.companies.get(companyId);
    await svc.companies.update(companyId, { domain: 'acme.example' });
    await expect(svc.companies.delete(companyId, { ifMatch: read })).rejects.toThrow(
      SvcPreconditionFailedError,
    );
  });
});
