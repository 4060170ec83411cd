import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { waitFor } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../../test/harness/answers.ts';
import { findingsOf } from '../../../../test/harness/verify.ts';
import { BATCH_RECORDS } from '../../../bulk/batches.ts';
import { RUN_LEASE_SECONDS } from '../../../bulk/import-run.ts';
import type { ImportAnswer } from '../../wire.ts';
import {
  CSV,
  createImportWorld,
  FILES,
  importsOf,
  load,
  loadAgain,
  NAMES,
  NDJSON,
  type Owner,
  REFUSED,
} from './imports.fixture.ts';

const { pool, clock, ownerOnBoth, namesOf, entriesOf, breakOff } = await createImportWorld();

test('a repeat of a finished import returns the same result and adds nothing, also on another node', async () => {
  const { owner, onB } = await ownerOnBoth();
  const key = randomUUID();
  const file = `{"name":"A"}\n{"name":"B"}\n{"id":"x","name":"X"}\n{"id":"x","name":"X"}\n{"nome":1}\n`;
  const first = await load(owner, importsOf(owner), key, file);
  expect(first.status).toBe(201);
  const outcome = first.json<ImportAnswer>();
  expect(outcome).toMatchObject({ inserted: 3, existing: 1, refused: 1, addedBefore: 0 });
  for (const who of [owner, onB]) {
    const again = await load(who, importsOf(owner), key, file);
    expect([again.status, again.json()]).toEqual([200, { ...outcome, addedBefore: 3 }]);
  }
  expect(await namesOf(owner)).toEqual(['A', 'B', 'X']);
  expect(await entriesOf(owner)).toMatchObject([
    { targetId: outcome.id, records: 3, details: { existing: 1, refused: 1, finished: true } },
  ]);
  const another = await load(owner, importsOf(owner), randomUUID(), file);
  expect(another.json()).toMatchObject({ inserted: 2, existing: 2, addedBefore: 0 });
});

test('another file with the key of a finished import is refused and adds nothing', async () => {
  const { owner } = await ownerOnBoth();
  const file = 'name,domain\nA,\nB,b.example\n';
  const key = randomUUID();
  await load(owner, importsOf(owner), key, file, CSV);
  for (const other of [
    `${file}C,\n`,
    'name,domain\nA,\n',
    'name,domain\nA,\nC,b.example\n',
    'name,domain\n\nA,\nB,b.example\n',
    'domain,name\nA,\nB,b.example\n',
    'name,domain\n',
  ]) {
    const answer = await load(owner, importsOf(owner), key, other, CSV);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('2 records are imported')]);
    expectFailure(answer, 'idempotency_mismatch', 'This Idempotency-Key belongs to another file');
  }
  expectFailure(await load(owner, importsOf(owner), key, file), 'idempotency_mismatch');
  expectFailure(await load(owner, importsOf(owner, 'audits'), key, file, CSV), 'idempotency_mismatch');
  expect(await namesOf(owner)).toEqual(['A', 'B']);
  expect((await load(owner, importsOf(owner), key, `${file}\n`, CSV)).status).toBe(200);
});

test('a file with a refused header leaves the key free for the corrected file', async () => {
  const { owner } = await ownerOnBoth();
  const key = randomUUID();
  expectFailure(await load(owner, importsOf(owner), key, 'nome\nA\n', CSV), 'invalid_body', 'nome');
  expect((await load(owner, importsOf(owner), key, 'name\nA\n', CSV)).status).toBe(201);
  expect(await namesOf(owner)).toEqual(['A']);
});

test('a repeat is refused on both nodes while the first request runs, and returns its result afterwards', async () => {
  const { owner, onB } = await ownerOnBoth();
  const key = randomUUID();
  const file = new PassThrough();
  const running = load(owner, importsOf(owner), key, file);
  file.write(FILES[NDJSON].slice(0, BATCH_RECORDS).join(''));
  await waitFor(async () => expect(await namesOf(owner)).not.toEqual([]));
  for (const who of [owner, onB]) {
    const refused = await load(who, importsOf(owner), key, FILES[NDJSON].join(''));
    expectFailure(refused, 'idempotency_in_progress', 'still being imported. Try again in a moment');
    expect(refused.headers['retry-after']).toBe(String(RUN_LEASE_SECONDS));
  }
  file.end(FILES[NDJSON].slice(BATCH_RECORDS).join(''));
  const { addedBefore, ...outcome } = (await running).json<ImportAnswer>();
  expect([addedBefore, outcome.inserted]).toEqual([0, NAMES.length]);
  expect((await load(onB, importsOf(owner), key, FILES[NDJSON].join(''))).json()).toMatchObject(outcome);
  expect(await namesOf(owner)).toEqual(NAMES);
});

describe.each([NDJSON, CSV] as const)('an import of %s that breaks off', (type) => {
  test('is continued by a repeat, with every record once, one log entry and the counts of the whole import', async () => {
    const { owner, onB } = await ownerOnBoth();
    const key = randomUUID();
    const lines = FILES[type];
    await breakOff(owner, key, type, lines.slice(0, BATCH_RECORDS + 1_000).join(''), 1);
    const before = (await namesOf(owner)).length;
    expect(before).toBeLessThan(NAMES.length);
    const short = await loadAgain(onB, importsOf(owner), key, lines.slice(0, 1_000).join(''), type);
    expectFailure(short, 'idempotency_mismatch', `${before} records are imported`);
    await breakOff(owner, key, type, lines.slice(0, 3 * BATCH_RECORDS).join(''), before + 1);
    const twice = (await namesOf(owner)).length;
    const changed = lines.join('').replace('Company 7', 'Company 8');
    expectFailure(await loadAgain(onB, importsOf(owner), key, changed, type), 'idempotency_mismatch');
    expect(await namesOf(owner)).toHaveLength(twice);

    const answer = await loadAgain(onB, importsOf(owner), key, lines.join(''), type);
    expect(answer.status).toBe(201);
    const outcome = answer.json<ImportAnswer>();
    expect(outcome).toMatchObject({
      inserted: NAMES.length,
      existing: 0,
      refused: REFUSED,
      addedBefore: twice,
    });
    expect(outcome.refusedLines).toHaveLength(REFUSED);
    expect(await namesOf(owner)).toEqual(NAMES);
    expect(await entriesOf(owner)).toMatchObject([
      {
        targetId: outcome.id,
        records: NAMES.length,
        details: { existing: 0, refused: REFUSED, finished: true },
      },
    ]);
    expect(await findingsOf(pool)).toEqual([]);
    expect((await load(owner, importsOf(owner), key, lines.join(''), type)).status).toBe(200);
    expect(await namesOf(owner)).toHaveLength(NAMES.length);
  });
});

describe('an import that receives no more bytes', () => {
  const silence = (owner: Owner) =>
    pool.query(`update imports set active_until = clock_timestamp() where workspace_id = $1`, [
      owner.workspaceId,
    ]);

  test('is continued by a repeat, refuses later bytes, and inserts nothing twice', async () => {
    const { owner, onB } = await ownerOnBoth();
    const key = randomUUID();
    const file = new PassThrough();
    const hung = load(owner, importsOf(owner), key, file);
    file.write(FILES[NDJSON].slice(0, BATCH_RECORDS).join(''));
    await waitFor(async () => expect(await namesOf(owner)).not.toEqual([]));
    await silence(owner);
    const answer = await load(onB, importsOf(owner), key, FILES[NDJSON].join(''));
    expect(answer.json()).toMatchObject({ inserted: NAMES.length });
    file.end(FILES[NDJSON].slice(BATCH_RECORDS).join(''));
    expectFailure(await hung, 'idempotency_in_progress');
    expect(await namesOf(owner)).toEqual(NAMES);
    expect(await findingsOf(pool)).toEqual([]);
    expect((await load(owner, importsOf(owner), key, FILES[NDJSON].join(''))).status).toBe(200);
  });

  test('keeps repeats away as soon as bytes arrive again', async () => {
    const { owner, onB } = await ownerOnBoth();
    const key = randomUUID();
    const file = new PassThrough();
    const running = load(owner, importsOf(owner), key, file);
    const active = async (): Promise<boolean | undefined> =>
      (
        await pool.query<{ active: boolean }>(
          'select active_until > clock_timestamp() as active from imports where workspace_id = $1',
          [owner.workspaceId],
        )
      ).rows[0]?.active;
    await waitFor(async () => expect(await active()).toBe(true));
    await silence(owner);
    clock.now += (RUN_LEASE_SECONDS * 1_000) / 2;
    file.write('{"name":"A"}\n');
    await waitFor(async () => expect(await active()).toBe(true));
    expectFailure(await load(onB, importsOf(owner), key, '{"name":"A"}\n'), 'idempotency_in_progress');
    file.end();
    expect((await running).json()).toMatchObject({ inserted: 1 });
  });
});
