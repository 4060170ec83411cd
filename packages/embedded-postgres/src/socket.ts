import { connect } from 'node:net';
import { basename } from 'node:path';
import { errorCode } from './error.ts';
import { type Layout, shortSocketDirectoryName, socketFile } from './layout.ts';

/** What a path says behind which no server listens. */
const NOBODY: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK']);
/** What a server says that has no time for one more connection. */
const BUSY: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EWOULDBLOCK']);

/** Whether a server listens on the socket in this directory. It may run in another container. */
export function answers(socketDirectory: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketFile(socketDirectory) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      if (NOBODY.has(errorCode(error))) resolve(false);
      else if (BUSY.has(errorCode(error))) resolve(true);
      else reject(error);
    });
  });
}

/**
 * Where a server of this data directory may listen: at its own place, and where its postmaster.pid says if that
 * name was derived from this data directory, under another TMPDIR. Any other place belongs to the data directory
 * that this one is a copy of, and what listens there is not ours.
 */
export function socketDirectories(layout: Layout, named: string | undefined): readonly string[] {
  const own = layout.socketDirectory;
  if (named === undefined || named === own) return [own];
  return basename(named) === shortSocketDirectoryName(layout.dataDir) ? [own, named] : [own];
}
