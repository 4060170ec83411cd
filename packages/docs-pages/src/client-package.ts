import { readFile } from 'node:fs/promises';
import { VERSION } from '@svc/sdk/version';

/** The file name of the packed client library and command line, of the version that the guides name. */
export const CLIENT_PACKAGE = `svc-sdk-${VERSION}.tgz`;

/** `sdk/tools/pack.ts` creates it. */
const FILE = new URL(`../../../sdk/package/${CLIENT_PACKAGE}`, import.meta.url);

/** Reads the packed client. Undefined if it has not been built, as in a clone without the tools of development. */
export async function readClientPackage(): Promise<Buffer | undefined> {
  try {
    return await readFile(FILE);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
