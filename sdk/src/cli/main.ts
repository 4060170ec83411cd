#!/usr/bin/env node
import { Interrupted, outputError } from './io.ts';
import { run } from './run.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ending.abort(new Interrupted()));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  ending.abort(outputError(error));
});
// There is nowhere to report this error.
process.stderr.on('error', () => undefined);

const { env, stdin, stdout, stderr } = process;
process.exitCode = await run(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  signal: ending.signal,
  now: () => Date.now(),
});
// An open standard input must not keep the process alive after the command has finished.
stdin.unref?.();
