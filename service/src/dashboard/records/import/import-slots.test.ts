import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { expectFailure } from '../../../../test/harness/answers.ts';
import { createTestDashboard, PUBLIC_URL } from '../../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../../test/harness/locks.ts';
import { createTestService, type TestAnswer } from '../../../../test/harness/service.ts';
import { BATCH_RECORDS } from '../../../bulk/batches.ts';
import {
  IMPORT_RETRY_SECONDS,
  IMPORT_TEXT_SHOWN_CHARACTERS,
  IMPORTS_MAX,
  IMPORTS_PER_OWNER_MAX,
} from '../../limits.ts';
import type { ImportAnswer } from '../../wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
type Owner = Awaited<ReturnType<typeof dashboard.owner>>;

const load = (owner: Owner, payload: string | PassThrough): Promise<TestAnswer> =>
  owner.send('POST', `/workspaces/${owner.workspaceId}/imports/companies`, undefined, {
    payload,
    headers: { 'content-type': 'application/x-ndjson' },
  });

const waitForRecords = (workspaceId: string, count: number): Promise<void> =>
  waitFor(
    async () => {
      const { rows } = await service.pool.query<{ records: number }>(
        `select coalesce(sum(records), 0)::bigint as records from record_counts
         where workspace_id = $1 and company_id = ''`,
        [workspaceId],
      );
      expect(rows[0]?.records).toBe(count);
    },
    { timeout: 30_000, interval: 100 },
  );

test('imports are limited per workspace and in total, and a refusal says when to retry', async () => {
  const owners = await Promise.all(
    Array.from({ length: IMPORTS_MAX / IMPORTS_PER_OWNER_MAX + 1 }, () => dashboard.owner()),
  );
  const late = owners.pop() as Owner;
  const files: PassThrough[] = [];
  const running: Promise<TestAnswer>[] = [];
  for (const owner of owners) {
    for (let i = 0; i < IMPORTS_PER_OWNER_MAX; i++) {
      const file = new PassThrough();
      files.push(file);
      running.push(load(owner, file));
    }
  }
  // Each import is running after its first batch is written.
  for (const file of files) file.write('{"name":"Acme"}\n'.repeat(BATCH_RECORDS));
  for (const { workspaceId } of owners) {
    await waitForRecords(workspaceId, IMPORTS_PER_OWNER_MAX * BATCH_RECORDS);
  }
  const refused = async (owner: Owner, code: 'rate_limited' | 'unavailable'): Promise<void> => {
    const answer = await load(owner, '');
    expectFailure(answer, code, 'importing other files');
    expect(answer.headers['retry-after']).toBe(String(IMPORT_RETRY_SECONDS));
  };
  for (const owner of owners) await refused(owner, 'rate_limited');
  await refused(late, 'unavailable');
  for (const file of files) file.end('{"name":"Acme"}');
  for (const answer of await Promise.all(running)) {
    expect(answer.json()).toMatchObject({ inserted: BATCH_RECORDS + 1, refused: 0 });
  }
  expect((await load(late, '{"name":"Acme"}')).json()).toMatchObject({ inserted: 1 });
});

test('one person cannot take all places by the imports of several workspaces', async () => {
  const person = await dashboard.owner();
  const { workspaceId } = await dashboard.bootstrap(person.email);
  const files = Array.from({ length: IMPORTS_PER_OWNER_MAX }, () => new PassThrough());
  const running = files.map((file) => load(person, file));
  const second = { ...person, workspaceId };
  for (const file of files) file.write('{"name":"Acme"}\n'.repeat(BATCH_RECORDS));
  await waitForRecords(person.workspaceId, files.length * BATCH_RECORDS);
  expectFailure(await load(second, ''), 'rate_limited', 'You are importing other files');
  const other = await dashboard.owner();
  expect((await load(other, '{"name":"Acme"}')).json()).toMatchObject({ inserted: 1 });
  for (const file of files) file.end('{"name":"Acme"}');
  await Promise.all(running);
  expect((await load(second, '{"name":"Acme"}')).json()).toMatchObject({ inserted: 1 });
});

test('a failed import frees its slot', async () => {
  const owner = await dashboard.owner();
  for (let i = 0; i <= IMPORTS_MAX; i++) {
    const answer = await owner.send('POST', `/workspaces/${owner.workspaceId}/imports/companies`, undefined, {
      payload: 'no,such,columns\n',
      headers: { 'content-type': 'text/csv' },
    });
    expectFailure(answer, 'invalid_body');
  }
});

test.each([
  ['ends', 'content-length: 20\r\n\r\n{"', true],
  ['is broken', 'transfer-encoding: chunked\r\n\r\n5\r\n{"nam\r\nnot a length\r\n', false],
])('an import whose body %s before it is read is refused, and frees its slot', async (how, rest, ends) => {
  const owner = await dashboard.owner();
  const { port, hostname } = new URL(origin);
  const head = [
    `POST /dashboard/api/workspaces/${owner.workspaceId}/imports/companies HTTP/1.1`,
    `host: ${new URL(PUBLIC_URL).host}`,
    `cookie: ${owner.cookie}`,
    'content-type: application/x-ndjson',
  ].join('\r\n');
  const holder = await service.pool.connect();
  try {
    for (let i = 0; i <= IMPORTS_PER_OWNER_MAX; i++) {
      await holder.query('begin; lock table sessions in access exclusive mode');
      const broken = once(service.app.server, 'clientError');
      const socket = connect(Number(port), hostname);
      socket.write(`${head}\r\nidempotency-key: early-${how.replace(' ', '-')}-${i}\r\n${rest}`);
      await waitFor(async () => expect(await waitingForLocks(service.pool)).toBe(1));
      if (ends) socket.end();
      const answer = text(socket);
      await broken;
      await holder.query('commit');
      expect(await answer).toMatch(/^HTTP\/1\.1 400 .*"invalid_request"/s);
    }
  } finally {
    holder.release();
  }
});

test('a refused line is reported with its beginning', async () => {
  const answer = await load(await dashboard.owner(), `{"${'x'.repeat(10_000)}":1}`);
  const [line] = answer.json<ImportAnswer>().refusedLines;
  expect(line?.text).toBe(`{"${'x'.repeat(IMPORT_TEXT_SHOWN_CHARACTERS - 2)}`);
});
