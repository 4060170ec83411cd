#!/usr/bin/env node
import { requireNodeVersion } from './node-version.ts';

// The operator's command line. Its other modules are loaded after this one: an old Node.js cannot load them, and they come
// from the compile cache, which must be enabled before.

await requireNodeVersion();
const { prepareProcess } = await import('@svc/service/server/process');
prepareProcess();
const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2), process.env);
