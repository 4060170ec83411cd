import { execFile } from 'node:child_process';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect } from 'vitest';
import { type FixtureOptions, type FixtureProcess, spawnFixture, spawnProgram } from '../fixture-process.ts';
import { dataDirectory } from '../support/data-directory.ts';
import { type OldServer, oldPackage, startOldServer } from '../support/old-server.ts';

const FIXTURE = fileURLToPath(new URL('./upgrade.fixture.ts', import.meta.url));

export const ROWS = [1, 2, 3];

/** Calls `work` with a connection to a server. */
export async function withClient<T>(
  url: string | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const readRows = (url: string | undefined): Promise<readonly number[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ id: number }>('select id from kept order by id');
    return rows.map(({ id }) => id);
  });

/** Creates a data directory of the old major version with ROWS. Its server does not run. */
export async function createOldData(dataDir: string, start = startOldServer): Promise<void> {
  const server = await start(dataDir);
  await withClient(server.url, async (client) => {
    await client.query('create table kept (id int primary key)');
    await client.query('insert into kept select unnest($1::int[])', [ROWS]);
  });
  await server.stop();
}

let template: Promise<string> | undefined;

/** A copy of a data directory of the old major version with ROWS, for one test. */
export async function copyOldData(parent?: string): Promise<string> {
  template ??= makeTemplate();
  return copyDirectory(await template, await dataDirectory(parent));
}

async function makeTemplate(): Promise<string> {
  const dataDir = await dataDirectory();
  await createOldData(dataDir);
  return dataDir;
}

/** Copies a directory with its owners. */
async function copyDirectory(from: string, to: string): Promise<string> {
  await mkdir(dirname(to), { recursive: true });
  await promisify(execFile)('cp', ['-a', from, to]);
  return to;
}

/** Runs an upgrade of a data directory. `oldBinaries`: null names no directory. */
export const upgrade = (
  dataDir: string,
  options: FixtureOptions = {},
  oldBinaries: string | null = oldPackage(),
): FixtureProcess =>
  spawnProgram([FIXTURE, dataDir, ...(oldBinaries === null ? [] : [oldBinaries])], options);

/** The rows that a new release finds, and the version of its PostgreSQL. */
export async function readAsNewRelease(
  dataDir: string,
  identity: Pick<FixtureOptions, 'uid' | 'gid'> = {},
): Promise<{ readonly version: string | undefined; readonly rows: readonly number[] }> {
  const service = spawnFixture('service', dataDir, identity);
  const { url, version, message } = await service.outcome;
  if (url === undefined) throw new Error(message);
  const rows = await readRows(url);
  await service.stop();
  return { version, rows };
}

/** The rows that an old release finds. */
export async function readAsOldRelease(dataDir: string, start = startOldServer): Promise<readonly number[]> {
  const server: OldServer = await start(dataDir);
  try {
    return await readRows(server.url);
  } finally {
    await server.stop();
  }
}

/** What an upgrade leaves in a data directory: `postgres.17`, and drafts. */
export const namesOf = async (dataDir: string): Promise<readonly string[]> =>
  (await readdir(dataDir))
    .filter((name) => name.startsWith('postgres') && !/\.(?:config|lock|log|password)$/.test(name))
    .sort();

/** Puts the kept cluster in a data directory of its own, as an operator who goes back. */
export async function goBack(dataDir: string, kept: string): Promise<string> {
  const back = await dataDirectory();
  await mkdir(back, { mode: 0o711 });
  await copyDirectory(kept, join(back, 'postgres'));
  await cp(join(dataDir, 'postgres.password'), join(back, 'postgres.password'));
  return back;
}

/** Expects that nothing of an upgrade is left, and that an old release finds its data. */
export async function expectOldInPlace(dataDir: string): Promise<void> {
  expect(await namesOf(dataDir)).toEqual(['postgres']);
  expect(await readAsOldRelease(dataDir)).toEqual(ROWS);
}

/** The steps after which the next start finishes the switch. */
const SWITCHED: readonly string[] = ['old-kept', 'settings-in-place', 'new-in-place'];

/** Kills an upgrade at a step. Before the switch, the old release still works; after it, the new one does. */
export async function expectKilledUpgradeIsHarmless(step: string): Promise<void> {
  const dataDir = await copyOldData();
  const killed = upgrade(dataDir, { killAt: step });
  expect(await killed.ended).toBe('SIGKILL');
  const kept = join(dataDir, 'postgres.17');
  if (SWITCHED.includes(step)) {
    const copy = await copyDirectory(dataDir, await dataDirectory());
    expect(await readAsNewRelease(copy)).toEqual({ version: '18.4', rows: ROWS });
    expect(await upgrade(dataDir, {}, null).outcome).toMatchObject({ upgraded: null });
  } else {
    const refused = await spawnFixture('service', dataDir).outcome;
    expect(refused).toMatchObject({ refused: 'OtherMajorVersionError' });
    expect(await readAsOldRelease(dataDir)).toEqual(ROWS);
    expect(await upgrade(dataDir).outcome).toMatchObject({ upgraded: { from: '17', to: '18', kept } });
  }
  expect(await namesOf(dataDir)).toEqual(['postgres', 'postgres.17']);
  expect(await readAsNewRelease(dataDir)).toEqual({ version: '18.4', rows: ROWS });
  expect(await readAsOldRelease(await goBack(dataDir, kept))).toEqual(ROWS);
}
