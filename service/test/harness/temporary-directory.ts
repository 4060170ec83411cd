import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFileEnd } from './cleanup.ts';

/** May be passed by everybody, so that the user that PostgreSQL runs as under root reaches what is inside. */
const MODE = 0o711;

/** A socket in a temporary directory has to fit into some hundred bytes; with a longer TMPDIR it is /tmp. */
const LONGEST_PARENT_BYTES = 48;

/** A new directory; the caller removes it. */
export async function makeTemporaryDirectory(name = 'svc-test', parent = tmpdir()): Promise<string> {
  const short = Buffer.byteLength(parent) <= LONGEST_PARENT_BYTES ? parent : '/tmp';
  const path = await mkdtemp(join(short, `${name}-`));
  await chmod(path, MODE);
  return path;
}

/** A new directory for this test file, removed with everything in it when the file is over. */
export async function temporaryDirectory(name?: string): Promise<string> {
  const path = await makeTemporaryDirectory(name);
  onFileEnd(() => rm(path, { recursive: true, force: true }));
  return path;
}
