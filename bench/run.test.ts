import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import { describeRun, plotsOf, readRun } from './figures.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** Services start many times, which is slow on a busy machine. */
const TIMEOUT_MS = 600_000;
const TINY = '--workspaces 6 --scale 0.001 --rounds 1 --requests 4 --connections 2,3';

test(
  'the benchmark measures every scenario, writes results that tables and plots are made of, and removes its folder',
  async () => {
    const folder = await temporaryDirectory();
    const json = join(folder, 'results.json');
    const program = join(import.meta.dirname, 'run.ts');
    await promisify(execFile)(process.execPath, [program, ...TINY.split(' '), '--json', json], {
      env: { ...process.env, TMPDIR: folder },
    });
    expect(await readdir(folder)).toEqual(['results.json']);
    const run = readRun(await readFile(json, 'utf8'));
    const { measurements, verdicts } = run;
    const reported = new Set([...measurements, ...verdicts].map(({ scenario }) => scenario));
    expect([...reported].sort()).toEqual(Object.keys(SCENARIOS).sort());
    for (const { name, rate } of measurements) {
      expect(rate.least, name).toBeGreaterThan(0);
      expect(rate.median, name).toBeGreaterThanOrEqual(rate.least);
      expect(rate.greatest, name).toBeGreaterThanOrEqual(rate.median);
    }
    const tables = describeRun(run);
    for (const { what, value } of verdicts) {
      expect(value.median, what).toBeGreaterThan(0);
      expect(tables).toContain(what);
    }
    for (const svg of Object.values(plotsOf(run))) expect(svg).toMatch(/^<svg[\s\S]*<path[\s\S]*<\/svg>\s*$/);
  },
  TIMEOUT_MS,
);
