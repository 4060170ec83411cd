// What the tests of other workspaces use: files and servers that end with the test file.

export { type Binaries, packagedBinaries } from '../../src/cluster/programs.ts';
export { onFileEnd } from './cleanup.ts';
export { dataDirectory, killServer } from './data-directory.ts';
export { oldPackage, startOldServer } from './old-server.ts';
export { isProcessAlive } from './process-alive.ts';
export { fastDirectory, temporaryDirectory } from './temporary-directory.ts';
export { startThrowawayServer, type ThrowawayServer } from './throwaway-server.ts';
export { waitFor } from './wait-for.ts';
