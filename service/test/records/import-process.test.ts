import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { onFileEnd } from '../harness/cleanup.ts';
import { createTestDatabase } from '../harness/database.ts';
import { importText, ndjson, workspaceWith, wrongCounts } from '../harness/import.ts';

const database = await createTestDatabase();
const { pool } = database;
const FIXTURE = join(import.meta.dirname, 'import.fixture.ts');

interface Batch {
  readonly inserted: number;
  readonly existing: number;
  readonly refused: number;
  readonly memoryMib: number;
}

interface Importer {
  readonly child: ChildProcess;
  /** The progress after each batch that it reported as committed. */
  readonly batches: Batch[];
  readonly ended: Promise<unknown>;
}

function startImporter(
  workspaceId: string,
  lines: Iterable<string>,
  onBatch?: (child: ChildProcess) => void,
): Importer {
  const child = spawn(process.execPath, [FIXTURE, database.url, workspaceId], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const batches: Batch[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line);
    if (said.done === true) return;
    batches.push(said);
    onBatch?.(child);
  });
  onFileEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  pipeline(Readable.from(lines), child.stdin).catch(() => undefined);
  return { child, batches, ended };
}

const audit = (i: number): object => ({
  id: `a${i}`,
  companyId: 'c1',
  headlineScore: i % 101,
  completedAt: '2026-01-01T00:00:00Z',
});

const count = async (workspaceId: string): Promise<number> =>
  (await pool.query<{ n: number }>('select count(*) as n from audits where workspace_id = $1', [workspaceId]))
    .rows[0]?.n ?? 0;

/** The entry of each import of audits in the audit log. */
const logged = async (workspaceId: string) =>
  (
    await pool.query<{ records: number; finished: boolean }>(
      `select (doc::json ->> 'records')::int as records, (doc::json -> 'details' ->> 'finished')::boolean as finished
       from audit_log_entries where workspace_id = $1 and doc::json ->> 'resource' = 'audits' order by created_at`,
      [workspaceId],
    )
  ).rows;

/** A session may be in the middle of an index, on a busy disk. */
const GONE_WITHIN = { timeout: 20_000, interval: 20 } as const;

const TOTAL = 40_000;
const file = Array.from({ length: TOTAL / 1_000 }, (_, k) =>
  ndjson(Array.from({ length: 1_000 }, (_, i) => audit(k * 1_000 + i))),
);

test.each([1, 3, 5])(
  'an importer that is killed after %i batches keeps all that it reported, has one entry with their count, and a second run completes it',
  async (batches) => {
    const ws = await workspaceWith(pool, 'c1');
    let said = 0;
    const importer = startImporter(ws, file, (child) => {
      said += 1;
      // While the next one is being written.
      if (said === batches) child.kill('SIGKILL');
    });
    await importer.ended;
    // The server notices that the client has ended, and rolls back what was not committed.
    await waitFor(async () => {
      const { rows } = await pool.query(
        `select 1 from pg_stat_activity where application_name = 'import fixture'`,
      );
      expect(rows.length).toBe(0);
    }, GONE_WITHIN);
    const there = await count(ws);
    expect(there).toBeGreaterThanOrEqual(importer.batches.at(-1)?.inserted ?? 0);
    expect(there).toBeLessThan(TOTAL);
    expect(await logged(ws)).toEqual([{ records: there, finished: false }]);
    expect(await wrongCounts(pool, ws)).toEqual([]);
    expect(await importText(pool, ws, 'audits', file)).toMatchObject({
      inserted: TOTAL - there,
      existing: there,
    });
    expect(await logged(ws)).toEqual([
      { records: there, finished: false },
      { records: TOTAL - there, finished: true },
    ]);
    expect(await count(ws)).toBe(TOTAL);
    expect(await wrongCounts(pool, ws)).toEqual([]);
  },
);

/** The most memory of a process that imports. */
const MEMORY_MAX_MIB = 286;
const BYTES_PER_MIB = 1024 * 1024;

const spaces = (count: number): string => ' '.repeat(count);

test.each([
  ['are there already', `${JSON.stringify({ ...audit(0), id: 'a0' }).slice(0, -1)}${spaces(2_000)}}\n`],
  ['are refused', `{"id":"a0","title":"${spaces(2_000)}"}\n`],
  ['are long', `${JSON.stringify(audit(0)).slice(0, -1)}${spaces(200_000)}}\n`],
  ['are too long', `${spaces(BYTES_PER_MIB)}{}\n`],
])('an importer of a file of 500 MiB, whose lines %s, has less than 286 MiB of memory', async (_, line) => {
  const ws = await workspaceWith(pool, 'c1');
  await importText(pool, ws, 'audits', ndjson([audit(0)]));
  const chunk = line.repeat(Math.ceil(BYTES_PER_MIB / line.length));
  const importer = startImporter(
    ws,
    (function* () {
      for (let i = 0; i < 500; i++) yield chunk;
    })(),
  );
  await importer.ended;
  const last = importer.batches.at(-1);
  expect(last?.memoryMib).toBeLessThan(MEMORY_MAX_MIB);
  const lines = (last?.existing ?? 0) + (last?.refused ?? 0);
  expect(lines).toBe((500 * chunk.length) / line.length);
});
