#!/usr/bin/env node
import { prepareProcess } from '@svc/service/server/process';

// The operator's command line. Its other modules are loaded after this one has enabled the compile cache.

prepareProcess();
const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2), process.env);
