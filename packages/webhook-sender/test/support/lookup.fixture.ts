import { createInterface } from 'node:readline';
import { createResolver } from '../../src/index.ts';

/** Prints the addresses of each name of a line of the input, or the code of the error. */
const resolve = createResolver({ cacheMs: 0, serversMs: 0 });
for await (const host of createInterface({ input: process.stdin }))
  process.stdout.write(`${await resolve(host).then(String, (error: NodeJS.ErrnoException) => error.code)}\n`);
