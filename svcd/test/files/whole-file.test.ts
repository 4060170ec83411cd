import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import { writeWhole } from '../../src/files/whole-file.ts';

const written = (output: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write('new', (error) => (error ? reject(error) : resolve()));
  });

test('a file is replaced when the new one is complete, also behind a link, with mode 0600 whatever the umask', async () => {
  const folder = await temporaryDirectory();
  const file = join(folder, 'a.backup');
  await writeFile(file, 'old', { mode: 0o644 });
  await symlink(file, join(folder, 'latest'));
  const umask = process.umask(0);
  try {
    const check = async (): Promise<void> => expect(await readFile(file, 'utf8')).toBe('old');
    await writeWhole(join(folder, 'latest'), written, { check });
  } finally {
    process.umask(umask);
  }
  expect(await readFile(join(folder, 'latest'), 'utf8')).toBe('new');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).sort()).toEqual(['a.backup', 'latest']);
});

test('a failure keeps the earlier file, and leaves no other', async () => {
  const folder = await temporaryDirectory();
  const file = join(folder, 'a.backup');
  await writeFile(file, 'old');
  const failed = writeWhole(file, written, { check: () => Promise.reject(new Error('it differs')) });
  await expect(failed).rejects.toThrow('it differs');
  expect([await readdir(folder), await readFile(file, 'utf8')]).toEqual([['a.backup'], 'old']);
});

test('a directory or a device is refused before anything is written, and stays', async () => {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, 'directory'));
  // As /dev/null, which root could replace.
  await symlink('/dev/null', join(folder, 'device'));
  for (const [name, reason] of [
    ['directory', 'cannot be written: it is a directory'],
    ['device', 'is not a file'],
  ] as const) {
    let begun = false;
    const writing = writeWhole(join(folder, name), () => {
      begun = true;
      return Promise.resolve();
    });
    await expect(writing).rejects.toThrow(`${name} ${reason}`);
    expect(begun).toBe(false);
  }
  expect((await readdir(folder)).sort()).toEqual(['device', 'directory']);
});

test('a link to a file that does not exist stays, and the file is created', async () => {
  const folder = await temporaryDirectory();
  await mkdir(join(folder, 'month'));
  await symlink('month/a.backup', join(folder, 'latest'));
  await writeWhole(join(folder, 'latest'), written);
  expect(await readlink(join(folder, 'latest'))).toBe('month/a.backup');
  expect(await readdir(join(folder, 'month'))).toEqual(['a.backup']);
});

test('a directory that does not exist is named', async () => {
  const file = join(await temporaryDirectory(), 'none', 'a.backup');
  // The same code means that the socket of a database does not exist.
  await expect(writeWhole(file, written)).rejects.toThrow(
    `${file} cannot be written: there is no such directory`,
  );
});
