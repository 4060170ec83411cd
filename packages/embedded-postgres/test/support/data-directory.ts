import { join } from 'node:path';
import { findPostmaster, untilGone } from '../../src/server/postmaster.ts';
import { onFileEnd } from './cleanup.ts';
import { fastDirectory, temporaryDirectory } from './temporary-directory.ts';

/** The path of a data directory for this test file. It does not exist yet. Its server is ended with the file. */
export async function dataDirectory(parent?: string): Promise<string> {
  const dataDir = join(parent ?? (await temporaryDirectory(await fastDirectory())), 'data');
  onFileEnd(() => killServer(dataDir));
  return dataDir;
}

/** Ends the server of a data directory at once, as a power cut would, together with its sessions. */
export async function killServer(dataDir: string, signal: 'SIGQUIT' | 'SIGKILL' = 'SIGQUIT'): Promise<void> {
  const pgdata = join(dataDir, 'postgres');
  const found = await findPostmaster(pgdata);
  if (found.kind !== 'running') return;
  process.kill(found.pid, signal);
  await untilGone(found.pid, pgdata);
}
