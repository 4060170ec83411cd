#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { ignoreBrokenPipes } from '@svc/service/log/outputs';
import { COMPILE_CACHE } from '@svc/service/server/compile-cache';

// The operator's command line. Its modules are loaded after the compile cache is enabled.

enableCompileCache(COMPILE_CACHE);
ignoreBrokenPipes();
const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2), process.env);
