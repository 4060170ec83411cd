import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { waitFor } from '@svc/embedded-postgres/testing';
import type { AuditLogEntry, Company, ListEnvelope } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../../test/harness/answers.ts';
import { createTestDashboard, PUBLIC_URL } from '../../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../../test/harness/service.ts';
import { IMPORT_MAX_BYTES, IMPORT_REFUSED_SHOWN } from '../../limits.ts';
import type { ImportAnswer } from '../../wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const admin = await dashboard.member(workspaceId, 'admin');
const viewer = await dashboard.member(workspaceId, 'viewer');
await service.app.listen({ host: '127.0.0.1', port: 0 });
const { port } = service.app.server.address() as AddressInfo;
const NDJSON = 'application/x-ndjson';
const path = (resource: string): string => `/workspaces/${workspaceId}/imports/${resource}`;
const load = (
  who: typeof owner | typeof viewer,
  resource: string,
  file: string,
  headers: Record<string, string> = {},
): Promise<TestAnswer> =>
  who.send('POST', path(resource), undefined, {
    payload: file,
    headers: { 'content-type': NDJSON, ...headers },
  });
const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const imports = async (): Promise<readonly AuditLogEntry[]> =>
  (await owner.send('GET', `/workspaces/${workspaceId}/log?kind=records.imported`)).json<
    ListEnvelope<AuditLogEntry>
  >().data;

describe('importing a file', () => {
  test('inserts the valid lines, reports each invalid one, and logs the person', async () => {
    const companies = await load(admin, 'companies', lines([{ id: 'com_a', name: 'Acme' }]));
    expect(companies.json()).toEqual({
      id: expect.stringMatching(/^imp_/),
      inserted: 1,
      addedBefore: 0,
      existing: 0,
      replaced: 0,
      refused: 0,
      refusedLines: [],
    });
    const audit = { companyId: 'com_a', headlineScore: 50, completedAt: '2026-03-01T00:00:00Z' };
    const file = `${lines([
      { id: 'aud_1', ...audit },
      { ...audit, headlineScore: 101 },
    ])}{broken\n${lines([{ ...audit, companyId: 'com_none' }, { id: 'aud_1', ...audit }, audit])}`;
    const answer = (await load(owner, 'audits', file)).json<ImportAnswer>();
    expect(answer).toMatchObject({ inserted: 2, existing: 1, refused: 3 });
    expect(answer.refusedLines.map(({ line, failures }) => [line, failures[0]?.field])).toEqual([
      [2, '/headlineScore'],
      [3, ''],
      [4, '/companyId'],
    ]);
    expect(answer.refusedLines[1]?.text).toBe('{broken');
    expect((await imports()).map(({ actor, resource, records }) => [actor, resource, records])).toEqual([
      [owner.email, 'audits', 2],
      [admin.email, 'companies', 1],
    ]);
  });

  test('can give a record a time in the past, which a program that has passed it does not read', async () => {
    const key = await service.token(workspaceId);
    const companies = async (query: string) =>
      (await service.request(key, `/v1/companies${query}`)).json<ListEnvelope<Company>>();
    const { startCursor } = (await companies('')).pagination;
    const createdAt = '2020-01-01T00:00:00.000000Z';
    const past = { id: 'com_past', name: 'Past', createdAt };
    expect((await load(admin, 'companies', lines([past]))).json()).toMatchObject({ inserted: 1 });
    expect((await companies(`?cursor=${startCursor}&direction=before`)).data).toEqual([]);
    expect((await companies('')).data.at(-1)).toMatchObject(past);
  });

  test('reads CSV, and refuses a file of another resource', async () => {
    const csv = { 'content-type': 'text/csv; charset=utf-8' };
    const answer = await load(
      owner,
      'companies',
      'name,domain\nBorealis,borealis.example\n"Cobalt, Ltd",\n',
      csv,
    );
    expect(answer.json()).toMatchObject({ inserted: 2, refused: 0 });
    expectFailure(
      await load(owner, 'companies', 'nome\nX\n', csv),
      'invalid_body',
      'unknown columns: "nome"',
    );
  });

  test('lists refused lines up to a limit, and counts all of them', async () => {
    const count = IMPORT_REFUSED_SHOWN + 50;
    const answer = (await load(owner, 'companies', '{}\n'.repeat(count))).json<ImportAnswer>();
    expect(answer).toMatchObject({ inserted: 0, refused: count });
    expect(answer.refusedLines).toHaveLength(IMPORT_REFUSED_SHOWN);
  });

  test('reads a refused file to its end, so that a slow client gets the response', async () => {
    const socket = connect(port, '127.0.0.1');
    const rest = Buffer.alloc(16 * 1024 * 1024, 'x');
    const start = 'nome\nfirst line\n';
    const head = (method: string, url: string, headers: readonly string[]): string =>
      [
        `${method} /dashboard/api${url} HTTP/1.1`,
        `Host: ${new URL(PUBLIC_URL).host}`,
        ...headers,
        '',
        '',
      ].join('\r\n');
    const cookie = `Cookie: ${owner.cookie}`;
    socket.write(
      head('POST', path('companies'), [
        cookie,
        'Content-Type: text/csv',
        'Idempotency-Key: refused-early',
        `Content-Length: ${start.length + rest.length}`,
      ]) + start,
    );
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await waitFor(() => expect(received).toContain('unknown columns'));
    for (let at = 0; at < rest.length; at += 64 * 1024) {
      const taken = new Promise((resolve) => socket.write(rest.subarray(at, at + 64 * 1024), resolve));
      await taken;
    }
    received = '';
    socket.write(head('GET', `/workspaces/${workspaceId}`, [cookie]));
    await waitFor(() => expect(received).toMatch(/^HTTP\/1.1 /));
    socket.destroy();
  });

  test('refuses viewers, other sites, other workspaces and other media types', async () => {
    const file = lines([{ name: 'Never' }]);
    expectFailure(await load(viewer, 'companies', file), 'insufficient_scope');
    expectFailure(
      await load(owner, 'companies', file, { 'sec-fetch-site': 'cross-site' }),
      'insufficient_scope',
    );
    expectFailure(await load(owner, 'companies', file, { origin: 'http://evil.test' }), 'insufficient_scope');
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json']) {
      const answer = await load(owner, 'companies', file, { 'content-type': type });
      expectFailure(answer, 'unsupported_media_type', 'text/csv or application/x-ndjson');
    }
    expectFailure(
      await load(await dashboard.owner(), 'companies', file),
      'not_found',
      'There is no such workspace.',
    );
    expectFailure(await load(owner, 'api-keys', file), 'not_found');
    expectFailure(await load(dashboard.nobody, 'companies', file), 'not_signed_in');
    const { rows } = await service.pool.query(`select 1 from companies where name = 'Never'`);
    expect(rows).toEqual([]);
  });

  test('refuses a file above the size limit', async () => {
    const record = lines([{ name: 'x'.repeat(150) }]);
    const file = record.repeat(Math.ceil(IMPORT_MAX_BYTES / record.length) + 1);
    expectFailure(await load(owner, 'companies', file), 'payload_too_large', '64 MiB');
  });

  test('keeps and logs what was written before the file broke off', async () => {
    const before = (await imports()).filter(({ resource }) => resource === 'companies').length;
    const quiet = service.log.length;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const file = lines(Array.from({ length: 12_000 }, (_, i) => ({ id: `com_part_${i}`, name: 'Part' })));
    socket.write(
      [
        `POST /dashboard/api${path('companies')} HTTP/1.1`,
        `Host: ${new URL(PUBLIC_URL).host}`,
        `Cookie: ${owner.cookie}`,
        `Content-Type: ${NDJSON}`,
        'Idempotency-Key: breaks-off',
        `Content-Length: ${file.length + 1_000}`,
        '',
        file,
      ].join('\r\n'),
    );
    const written = async (): Promise<number> => {
      const { rows } = await service.pool.query<{ count: number }>(
        `select count(*) from companies where workspace_id = $1 and id like 'com_part_%'`,
        [workspaceId],
      );
      return rows[0]?.count ?? 0;
    };
    await waitFor(async () => expect(await written()).toBeGreaterThan(0));
    socket.destroy();
    const ended = (): boolean =>
      service.log.slice(quiet).some((line) => line.includes('an import broke off'));
    await waitFor(() => expect(ended()).toBe(true));
    const logged = (await imports())
      .filter(({ resource }) => resource === 'companies')
      .slice(0, before === 0 ? undefined : -before);
    expect(logged.reduce((sum, { records = 0 }) => sum + records, 0)).toBe(await written());
  });
});
