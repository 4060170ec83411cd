import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LINE_MAX_BYTES } from '@svc/csv-lines';
import { describe, expect, test } from 'vitest';
import { createPace, type Pace, readBatches, TURN_CHARACTERS } from '../../src/bulk/batches.ts';
import { companies } from '../../src/resources/index.ts';
import { HOSTILE_FILES, type HostileFile } from './hostile.fixture.ts';

const run = promisify(execFile);
const FIXTURE = join(import.meta.dirname, 'batches.fixture.ts');
const files = Object.entries(HOSTILE_FILES);

/** Reads the whole file; returns the bytes that were read. */
async function read({ format, chunks }: HostileFile, bytes: number, pace?: Pace): Promise<number> {
  let length = 0;
  async function* input(): AsyncGenerator<Buffer> {
    for (const chunk of chunks(bytes)) {
      length += chunk.length;
      yield chunk;
    }
  }
  for await (const batch of readBatches(input(), companies, format, pace === undefined ? {} : { pace }))
    expect(batch.bytes).toBeGreaterThan(0);
  return length;
}

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};

test('hostile files of 1 MB are read in a heap of 32 MB', { timeout: 180_000 }, async () => {
  const flags = ['--max-old-space-size=32', '--max-semi-space-size=4'];
  const { stdout } = await run(process.execPath, [...flags, FIXTURE, '1000000']);
  expect(stdout.trim().split('\n').length).toBe(files.length);
});

describe('a hostile file costs only as much as its size, and does not block the event loop', () => {
  const BYTES = 32 * 1024;
  const ROUNDS = 6;
  const GROWTH_MAX = 2.5;
  /** The noise of the clock, the compiler and the garbage collector. */
  const NOISE_MS = 15;
  /** A turn usually takes some milliseconds; a turn without a bound takes seconds. */
  const TURN_CPU_MAX_MS = 400;

  test.each(files)('%s: twice the bytes take at most 2.5 times the processor time', async (_, file) => {
    const costs: Record<number, number> = {
      [BYTES]: Number.POSITIVE_INFINITY,
      [2 * BYTES]: Number.POSITIVE_INFINITY,
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const bytes of [BYTES, 2 * BYTES]) {
        const before = process.cpuUsage();
        await read(file, bytes);
        costs[bytes] = Math.min(costs[bytes] ?? 0, cpuMs(before));
      }
    }
    expect(costs[2 * BYTES]).toBeLessThanOrEqual(GROWTH_MAX * (costs[BYTES] ?? 0) + NOISE_MS);
  });

  test.each(files)('%s: no turn of the event loop does more than its share', async (_, file) => {
    const turns = [0];
    let cpu = process.cpuUsage();
    let longestMs = 0;
    const pace = createPace(async () => {
      longestMs = Math.max(longestMs, cpuMs(cpu));
      turns.push(0);
      cpu = process.cpuUsage();
    });
    const bytes = await read(file, 8 * BYTES, {
      ...pace,
      spend(characters) {
        turns.push((turns.pop() ?? 0) + characters);
        return pace.spend(characters);
      },
    });
    // One line may be the last of a turn, and all of its bytes.
    expect(Math.max(...turns)).toBeLessThan(TURN_CHARACTERS + 2 * LINE_MAX_BYTES);
    expect(turns.length).toBeGreaterThan(Math.floor(bytes / (TURN_CHARACTERS + 2 * LINE_MAX_BYTES)));
    expect(longestMs).toBeLessThan(TURN_CPU_MAX_MS);
  });
});
