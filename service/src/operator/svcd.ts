#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { ignoreBrokenPipes } from '../log/outputs.ts';
import { COMPILE_CACHE } from '../server/compile-cache.ts';

// The operator's command line. Its modules are loaded after the compile cache is enabled.

enableCompileCache(COMPILE_CACHE);
ignoreBrokenPipes();
const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2), process.env);
