import { expect, test } from 'vitest';
import { createPool, inTransaction } from '../../src/database/pool.ts';
import { insertRecords } from '../../src/records/insert.ts';
import { audits } from '../../src/resources/index.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { importText, ndjson, workspaceWith, wrongCounts } from '../harness/import.ts';
import { createTestService } from '../harness/service.ts';

const IMPORTERS = 16;
const FILES = 12;
const COMPANIES = ['c1', 'c2', 'c3'] as const;
/** The longest time that a transaction stays open after it has written. */
const LATE_SECONDS = 0.01;

const service = await createTestService();
const pool = createPool({
  url: service.database.url,
  max: IMPORTERS,
  name: 'importers',
  onError: () => undefined,
});
onFileEnd(() => pool.end());

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly endCursor: string | null };
}

/** Pages towards newer records until `written` has ended and the list has no more. Returns the records it saw. */
async function tail(workspaceId: string, written: Promise<unknown>): Promise<readonly string[]> {
  const token = await service.token(workspaceId, { mode: 'test' });
  const seen: string[] = [];
  let cursor: string | null = null;
  let over = false;
  void written.finally(() => {
    over = true;
  });
  for (;;) {
    const last = over;
    const position: string = cursor === null ? '' : `&cursor=${cursor}`;
    const answer = await service.request(token, `/v1/audits?sort=created-ascending&limit=100${position}`);
    expect(answer.status).toBe(200);
    const { data, pagination }: Page = answer.json();
    seen.push(...data.map(({ id }) => id));
    cursor = pagination.endCursor ?? cursor;
    if (last && data.length === 0) return seen;
  }
}

const records = (importer: number, file: number): readonly { readonly id: string }[] =>
  Array.from({ length: 1 + ((importer * 31 + file * 17) % 60) }, (_, i) => ({
    id: `a_${importer}_${file}_${i}`,
    companyId: COMPANIES[(importer + i) % COMPANIES.length] ?? '',
    headlineScore: i,
    completedAt: '2026-01-01T00:00:00Z',
  }));

/** Some import files, atomic or batch by batch; some commit late; some are rolled back at the end. */
async function importer(workspaceId: string, number: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let file = 0; file < FILES; file++) {
    const some = records(number, file);
    if (number % 4 === 3) {
      const kept = file % 3 !== 0;
      await inTransaction(pool, async (client) => {
        await insertRecords(client, workspaceId, audits, some as never);
        await client.query('select pg_sleep(random() * $1)', [LATE_SECONDS]);
        if (!kept) throw new Error('taken back');
      }).catch((error: Error) => expect(error.message).toBe('taken back'));
      if (kept) ids.push(...some.map(({ id }) => id));
    } else {
      const atomic = number % 4 === 1;
      const spoilt = atomic && file % 5 === 0 ? '{}' : '';
      const { inserted } = await importText(pool, workspaceId, 'audits', ndjson(some) + spoilt, { atomic });
      expect(inserted).toBe(spoilt === '' ? some.length : 0);
      if (spoilt === '') ids.push(...some.map(({ id }) => id));
    }
  }
  return ids;
}

test('a reader that pages towards newer records while 16 importers write sees each record once, and counters stay exact', async () => {
  const workspaceId = await workspaceWith(service.pool, ...COMPANIES);
  const importing = Promise.all(Array.from({ length: IMPORTERS }, (_, i) => importer(workspaceId, i)));
  const [written, ...readers] = await Promise.all([
    importing,
    tail(workspaceId, importing),
    tail(workspaceId, importing),
  ]);
  const expected = written.flat().sort();
  expect(expected.length).toBeGreaterThan(IMPORTERS * FILES);
  for (const seen of readers) expect([...seen].sort()).toEqual(expected);
  expect(await wrongCounts(service.pool, workspaceId)).toEqual([]);
});

test('16 imports of the same file at once write each record once', async () => {
  const workspaceId = await workspaceWith(service.pool, ...COMPANIES);
  const many = Array.from({ length: 20 }, (_, file) => records(99, file)).flat();
  const reports = await Promise.all(
    Array.from({ length: IMPORTERS }, (_, i) =>
      importText(pool, workspaceId, 'audits', ndjson(many), { atomic: i % 2 === 0 }),
    ),
  );
  const sum = (of: 'inserted' | 'existing'): number =>
    reports.reduce((total, report) => total + report[of], 0);
  expect([sum('inserted'), sum('existing')]).toEqual([many.length, many.length * (IMPORTERS - 1)]);
  expect(await wrongCounts(service.pool, workspaceId)).toEqual([]);
});
