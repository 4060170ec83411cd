import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { createSecretFile, readSecretFile, secretFileOf } from './file.ts';

const STARTS = 20;
const PERMISSIONS = 0o777;
const STRANGER = 65_534;

test('many starts at the same time use one secret, which only its owner may read', async () => {
  const dataDir = await temporaryDirectory();
  expect(await readSecretFile(dataDir)).toBeUndefined();
  const created = await Promise.all(Array.from({ length: STARTS }, () => createSecretFile(dataDir)));
  expect(new Set(created.map(({ secret }) => secret)).size).toBe(1);
  expect(created[0]?.secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect((await stat(secretFileOf(dataDir))).mode & PERMISSIONS).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['secret']);
});

// Only root can give a file away.
test.runIf(process.getuid?.() === 0)('a new secret is given to the owner of the directory', async () => {
  const dataDir = await temporaryDirectory();
  await chown(dataDir, STRANGER, STRANGER);
  await createSecretFile(dataDir);
  expect(await stat(secretFileOf(dataDir))).toMatchObject({ uid: STRANGER, gid: STRANGER });
});

test('an existing secret is kept', async () => {
  const dataDir = await temporaryDirectory();
  const { secret } = await createSecretFile(dataDir);
  await createSecretFile(dataDir);
  expect(await readSecretFile(dataDir)).toEqual({ secret, exposed: false });
});

test('a secret that other users can read is used and reported as exposed', async () => {
  const dataDir = await temporaryDirectory();
  await createSecretFile(dataDir);
  await chmod(secretFileOf(dataDir), 0o640);
  expect(await readSecretFile(dataDir)).toMatchObject({ exposed: true });
});

test('an empty or short file is refused, and never replaced by a new secret', async () => {
  const dataDir = await temporaryDirectory();
  for (const text of ['', 'short\n']) {
    await writeFile(secretFileOf(dataDir), text);
    await expect(readSecretFile(dataDir)).rejects.toThrow(/Restore it from a backup/);
    await expect(createSecretFile(dataDir)).rejects.toThrow(/Restore it from a backup/);
    expect(await readFile(secretFileOf(dataDir), 'utf8')).toBe(text);
  }
});

test('the error for a missing directory names it and says what to do', async () => {
  const dataDir = join(await temporaryDirectory(), 'missing');
  await expect(createSecretFile(dataDir)).rejects.toThrow(dataDir);
});
