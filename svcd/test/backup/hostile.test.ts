import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { createWorld } from '@svc/service/harness/world.ts';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { backupDatabase, restoreDatabase } from '../../src/backup/database.ts';
import { backupOf, type Frame, framesOf, jsonFrame, jsonOf, rowsFrame } from './frames.ts';

// Backups that somebody has made by hand: all checksums are right.

interface TableStart {
  readonly name: string;
  readonly columns: readonly string[];
  readonly partitions: readonly { readonly name: string; readonly from: string; readonly to: string }[];
}

const MIB = 1024 * 1024;

let frames: readonly Frame[];

beforeAll(async () => {
  const { service } = await createWorld();
  await service.app.close();
  const output = new PassThrough();
  const [bytes] = await Promise.all([
    buffer(output),
    backupDatabase(service.database.url, output).then(() => output.end()),
  ]);
  frames = framesOf(bytes);
});

const emptyDatabase = (): Promise<{ readonly pool: pg.Pool; readonly url: string }> =>
  createTestDatabase({ template: false });

const relationsOf = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace`,
  );
  return rows.map(({ name }) => name);
};

/** Restores these parts. Throws unless that fails and the database stays empty. Returns the failure. */
async function refusal(parts: readonly Frame[]): Promise<Error> {
  const { pool, url } = await emptyDatabase();
  const restored = restoreDatabase(Readable.from([backupOf(parts)]), url, { expirePositions: true });
  const error = await restored.then(
    () => new Error('the backup was restored'),
    (reason: Error) => reason,
  );
  expect(await relationsOf(pool)).toEqual([]);
  return error;
}

/** The parts with another beginning of a table. */
const withTable = (name: string, change: (table: TableStart) => TableStart): readonly Frame[] =>
  frames.map((frame) => {
    if (frame.letter !== 'T') return frame;
    const table = jsonOf<TableStart>(frame);
    return table.name === name ? jsonFrame('T', change(table)) : frame;
  });

const withPartition = (partition: TableStart['partitions'][number]): readonly Frame[] =>
  withTable('audit_log', (table) => ({ ...table, partitions: [...table.partitions, partition] }));

const [from, to] = ['2019-02-01', '2019-03-01'];

describe('names and bounds of partitions are no SQL', () => {
  test('quotes in a name are part of it', async () => {
    const { pool, url } = await emptyDatabase();
    const name = `x" (id int); drop table audits; --`;
    const bytes = backupOf(withPartition({ name, from, to }));
    await restoreDatabase(Readable.from([bytes]), url, { expirePositions: false });
    expect(await relationsOf(pool)).toEqual(expect.arrayContaining([name, 'audits']));
  });

  test.each([
    ['a bound with SQL', { name: 'old', from: `2019-02-01') to ('2019-03-01'); drop table audits; --`, to }],
    ['a bound with a backslash', { name: 'old', from: `2019-02-01\\'); drop table audits; --`, to }],
    ['the name of another table', { name: 'companies', from, to }],
    ['the name of a table of the system', { name: 'pg_class', from, to }],
    ['a name with a zero byte', { name: 'old\0', from, to }],
  ])('%s is refused', async (_, partition) => {
    expect((await refusal(withPartition(partition))).message).not.toBe('the backup was restored');
  });
});

test.each([
  ['a column with SQL', (columns: readonly string[]) => [...columns.slice(1), `id") from stdin; --`]],
  ['a missing column', (columns: readonly string[]) => columns.slice(1)],
  ['a column twice', (columns: readonly string[]) => [...columns, columns[0] ?? '']],
])('%s is refused', async (_, change) => {
  const parts = withTable('companies', (table) => ({ ...table, columns: change(table.columns) }));
  expect((await refusal(parts)).message).toContain('the table companies has the columns');
});

test('a table that comes twice is refused', async () => {
  const start = frames.findIndex(
    (frame) => frame.letter === 'T' && jsonOf<TableStart>(frame).name === 'companies',
  );
  const end = frames.findIndex(({ letter }, index) => letter === 'E' && index > start) + 1;
  const twice = frames.toSpliced(end, 0, ...frames.slice(start, end));
  expect((await refusal(twice)).message).toBe('the backup is damaged: it has the table companies twice');
});

test('endless tables that are not of the service are refused', async () => {
  const nothing = jsonFrame('E', {
    rows: 0,
    bytes: 0,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  });
  const tables = Array.from({ length: 10_001 }, (_, index) => [
    jsonFrame('T', { name: `other_${index}`, columns: ['id'], partitions: [] }),
    nothing,
  ]);
  const parts = [...frames.slice(0, 1), ...tables.flat()];
  expect((await refusal(parts)).message).toBe('the backup is damaged: it has more than 10000 tables');
});

describe('details that are not those of the service are refused', () => {
  const details = () => jsonOf<Record<string, unknown>>(frames[0] as Frame);
  test.each<readonly [string, () => unknown]>([
    ['without a migration', () => ({ ...details(), migration: null })],
    ['with a migration without a number', () => ({ ...details(), migration: { name: 'x', sha256: 'x' } })],
    ['without a time', () => ({ ...details(), createdAt: undefined })],
    ['with one text as secrets', () => ({ ...details(), secrets: 'secret' })],
    ['with a secret that is no text', () => ({ ...details(), secrets: [1] })],
    ['that are a list', () => []],
  ])('%s', async (_, value) => {
    const error = await refusal([jsonFrame('H', value()), ...frames.slice(1)]);
    expect(error.message).toBe('the backup is not one of this service');
  });

  test('of a newer version, with its name', async () => {
    const migration = { number: 9_999, name: '9999_future.sql', sha256: '0' };
    const newer = jsonFrame('H', { ...details(), version: '99.0.0', migration });
    const error = await refusal([newer, ...frames.slice(1)]);
    expect(error.message).toContain('the backup is newer than this program: it is of version 99.0.0');
  });
});

test.each([
  ['rows before a table', () => frames.toSpliced(1, 0, rowsFrame(Buffer.from('1\n'))), 'it has rows where'],
  ['details twice', () => frames.toSpliced(1, 0, frames[0] as Frame), 'it has details where'],
  ['no tables', () => [frames[0] as Frame, frames.at(-1) as Frame], 'has other tables than its end says'],
  [
    'rows that unpack to more than a part has',
    () => frames.toSpliced(2, 0, rowsFrame(Buffer.alloc(512 * MIB))),
    'damaged at byte',
  ],
])('%s: refused', async (_, parts, message) => {
  expect((await refusal(parts())).message).toContain(message);
});
