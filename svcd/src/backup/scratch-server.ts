import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeEmbedded, useEmbedded } from '@svc/embedded-postgres';
import type { Logger } from 'pino';

const PURPOSE = 'svcd backup --verify';
const PREFIX = '.svc-verify-';
/** A directory of this age has a server, which another process uses or a killed one has left. */
const STARTED_MS = 60_000;

export interface ScratchServerOptions {
  readonly log: Logger;
  /** Ends the server or its start, so that `work` fails. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `work` with an empty database of a new server, whose files are next to `file`. Removes the server then, and before
 * that the ones that killed processes have left in the same directory.
 */
export async function withScratchServer(
  file: string,
  { log, signal }: ScratchServerOptions,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const directory = dirname(file);
  await removeLeftServers(directory, log);
  const dataDir = await mkdtemp(join(directory, PREFIX));
  try {
    const server = await useEmbedded({ dataDir, purpose: PURPOSE, signal, log });
    // Everything that uses the server fails then. The call below throws the error of this one too.
    const stop = (): void => void server.stop().catch(() => undefined);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      signal?.throwIfAborted();
      await work(server.url);
    } finally {
      signal?.removeEventListener('abort', stop);
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Leaves those that another process uses or another user has created. A failure is not one of this backup. */
async function removeLeftServers(directory: string, log: Logger): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const path = join(directory, name);
    try {
      const found = await lstat(path);
      const ours = found.isDirectory() && found.uid === process.getuid?.();
      if (ours && Date.now() - found.mtimeMs > STARTED_MS) await removeEmbedded(path, PURPOSE, log);
    } catch (error) {
      log.debug({ err: error }, `${path} of an earlier verification is kept`);
    }
  }
}
