import { access, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ensureDataDirectory, type Layout } from '../src/directory/data-directory.ts';
import { tryLock } from '../src/directory/lock.ts';
import { startEmbedded, useEmbedded } from '../src/index.ts';
import { openServer } from '../src/server/open.ts';
import { dataDirectory } from './support/data-directory.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const log = pino({ level: 'silent' });
const PATIENCE_MS = 200;

const newLayout = async (): Promise<Layout> =>
  ensureDataDirectory(await dataDirectory(await temporaryDirectory()));

test('a start waits for a locked data directory whose PostgreSQL does not answer, then fails and names the holder of the lock', async () => {
  const layout = await newLayout();
  const lock = await tryLock(layout, 'svcd start');
  expect(await tryLock(layout, 'svcd import')).toBeUndefined();
  await expect(openServer(layout, 'svcd import', 0, log, { patienceMs: PATIENCE_MS })).rejects.toThrow(
    `the data directory ${layout.dataDir} is locked, last by svcd start (pid ${process.pid}) on ${hostname()}, ` +
      'and no PostgreSQL answers on it here.',
  );
  await lock?.release();
  const next = await tryLock(layout, 'svcd import');
  expect(next).toBeDefined();
  await next?.release();
});

test.each([
  ['service', startEmbedded],
  ['command', useEmbedded],
])('a %s that waits for a locked data directory ends with its signal', async (purpose, start) => {
  const layout = await newLayout();
  const lock = await tryLock(layout, 'svcd start');
  const ending = new AbortController();
  const { dataDir } = layout;
  const waits = pino({ level: 'info' }, { write: () => ending.abort() });
  await expect(start({ dataDir, purpose, signal: ending.signal, log: waits })).rejects.toMatchObject({
    name: 'AbortError',
  });
  await lock?.release();
});

test('a lock file that is a link is not followed', async () => {
  const layout = await newLayout();
  const target = join(await temporaryDirectory(), 'target');
  await symlink(target, layout.lockFile);
  await expect(tryLock(layout, 'svcd start')).rejects.toThrow('cannot be written to');
  await expect(access(target)).rejects.toThrow('ENOENT');
});
