// `npm run prove -- [NAME…] [--seconds N] [--seed N]` runs proofs, which take longer than tests. Default: all proofs but
// those that run only if they are named, each with its default duration, and a random seed. Prints the seed. The same seed
// gives the same inputs and the same schedule of faults.

import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROOFS, type Proof } from './prove/table.ts';

const ROOT = join(import.meta.dirname, '..');
const SEED_LIMIT = 2 ** 31;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
});

function positiveInteger(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} must be a positive integer, not "${text}".`);
  process.exit(2);
}

function chosen(): readonly Proof[] {
  const unknown = positionals.find((name) => !PROOFS.some((proof) => proof.name === name));
  if (unknown === undefined) {
    return PROOFS.filter(({ name, onRequest }) =>
      positionals.length === 0 ? onRequest !== true : positionals.includes(name),
    );
  }
  console.error(`There is no proof "${unknown}". Proofs: ${PROOFS.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

function run({ name, file, project, seconds }: Proof, seed: number): boolean {
  const duration = positiveInteger('seconds', values.seconds, seconds);
  console.log(`\n== prove ${name} --seconds ${duration} --seed ${seed}`);
  const only = project === undefined ? [] : ['--project', project];
  const args = ['run', '--reporter=verbose', ...only, file];
  const { status } = spawnSync(join(ROOT, 'node_modules/.bin/vitest'), args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PROVE: file, PROVE_SECONDS: String(duration), PROVE_SEED: String(seed) },
  });
  return status === 0;
}

if (values.help) {
  console.log('npm run prove -- [NAME…] [--seconds N] [--seed N]\n');
  for (const { name, shows, seconds, onRequest } of PROOFS)
    console.log(`  ${name.padEnd(16)} ${shows} (${seconds} s${onRequest ? ', only if it is named' : ''})`);
} else {
  const proofs = chosen();
  const seed = positiveInteger('seed', values.seed, randomInt(1, SEED_LIMIT));
  const failed = proofs.filter((proof) => !run(proof, seed)).map(({ name }) => name);
  if (failed.length > 0) {
    console.error(`\nnot proved: ${failed.join(', ')} (seed ${seed})`);
    process.exitCode = 1;
  }
}
