#!/usr/bin/env node
import { fstatSync, writeFile } from 'node:fs';
import { Writable } from 'node:stream';
import { Interrupted, type Output, outputError } from './io.ts';
import { run } from './run.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ending.abort(new Interrupted()));
const stdout = openOutput(process.stdout);
stdout.on('error', (error: NodeJS.ErrnoException) => {
  ending.abort(outputError(error));
});
// There is nowhere to report this error.
process.stderr.on('error', () => undefined);

const { env, stdin, stderr } = process;
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

/**
 * Standard output. A regular file takes only a part of the text if a disk becomes full. `process.stdout` ignores this, so
 * that the rest is lost. `writeFile` writes the rest, or fails.
 */
function openOutput(output: typeof process.stdout): Output {
  if (!fstatSync(output.fd).isFile()) return output;
  return new Writable({ write: (bytes, _encoding, done) => writeFile(output.fd, bytes, done) });
}
