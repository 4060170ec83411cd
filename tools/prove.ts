// `npm run prove -- [NAME…] [--some N] [--seconds N] [--seed N]` runs proofs, which take longer than tests. Default: all
// proofs but those that run only if they are named, each with its default duration, and a random seed. With --some, only
// so many, which the seed chooses. Prints the seed. The same seed gives the same inputs and the same schedule of faults.
// Several proofs run two at a time, because each waits for much of its time; the output of each is printed when it ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomOf } from '../service/test/history/random.ts';
import { runTasks } from './prove/schedule.ts';
import { PROOFS, type Proof } from './prove/table.ts';

const ROOT = join(import.meta.dirname, '..');
const SEED_LIMIT = 2 ** 31;
const AT_A_TIME = Math.min(2, availableParallelism());

const running = new Set<ChildProcess>();
/** The signal that ends this process, once its proofs have ended. */
let stopped: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = signal;
    for (const child of running) endGroup(child, signal);
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    some: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean' },
  },
});

function positiveInteger(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} must be a positive integer, not "${text}".`);
  process.exit(2);
}

/** Sends a signal to the processes that a proof has started. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
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

const givenSeconds = values.seconds === undefined ? undefined : positiveInteger('seconds', values.seconds);

/**
 * Runs a proof. Its output goes to `output`, a file descriptor, or to that of this process. Resolves with whether it is
 * proved: not if it cannot start, or if this process was asked to stop.
 */
async function run(
  { name, file, project, seconds }: Proof,
  seed: number,
  output: number | 'inherit',
): Promise<boolean> {
  if (stopped !== undefined) return false;
  const duration = givenSeconds ?? seconds;
  writeSync(output === 'inherit' ? 1 : output, `\n== prove ${name} --seconds ${duration} --seed ${seed}\n`);
  const only = project === undefined ? [] : ['--project', project];
  const args = ['run', '--reporter=verbose', ...only, file];
  const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), args, {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    // A group of its own, so that a signal also ends what the proof has started.
    detached: true,
    env: {
      ...process.env,
      PROVE: file,
      PROVE_SECONDS: String(duration),
      PROVE_SEED: String(seed),
      ...(positionals.includes(name) ? { PROVE_NAMED: '1' } : {}),
    },
  });
  running.add(child);
  try {
    const [status] = await once(child, 'exit');
    return status === 0;
  } catch (error) {
    console.error(error);
    return false;
  } finally {
    running.delete(child);
  }
}

/** Runs a proof, and prints its output when it ends. */
async function runThenPrint(proof: Proof, seed: number, folder: string): Promise<boolean> {
  if (stopped !== undefined) return false;
  console.log(`proving ${proof.name}, seed ${seed}`);
  const file = join(folder, proof.name);
  const output = openSync(file, 'w');
  try {
    return await run(proof, seed, output);
  } finally {
    closeSync(output);
    process.stdout.write(readFileSync(file));
  }
}

/** Runs the proofs. Resolves with the names of those that failed. */
async function prove(proofs: readonly Proof[], seed: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-prove-'));
  try {
    const tasks = proofs.map((proof) => ({
      exclusive: proof.installs === true,
      alone: proof.alone === true,
      run: () => (proofs.length === 1 ? run(proof, seed, 'inherit') : runThenPrint(proof, seed, folder)),
    }));
    const proved = await runTasks(tasks, AT_A_TIME);
    return proofs.filter((_, index) => !proved[index]).map(({ name }) => name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.help) {
  console.log('npm run prove -- [NAME…] [--some N] [--seconds N] [--seed N]\n');
  for (const { name, shows, seconds, onRequest } of PROOFS)
    console.log(`  ${name.padEnd(16)} ${shows} (${seconds} s${onRequest ? ', only if it is named' : ''})`);
} else {
  const seed = values.seed === undefined ? randomInt(1, SEED_LIMIT) : positiveInteger('seed', values.seed);
  const count = values.some === undefined ? Number.POSITIVE_INFINITY : positiveInteger('some', values.some);
  const proofs = randomOf(seed).some(chosen(), count);
  const failed = await prove(proofs, seed);
  if (stopped !== undefined) {
    process.removeAllListeners(stopped);
    process.kill(process.pid, stopped);
  } else if (failed.length > 0) {
    console.error(`\nnot proved: ${failed.join(', ')} (seed ${seed})`);
    process.exitCode = 1;
  }
}
