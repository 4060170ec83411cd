import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import { describeRun, plotsOf, readRun } from './figures.ts';
import { createReports } from './report.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** Services start many times, which is slow on a busy machine. */
const TIMEOUT_MS = 600_000;
const TINY = '--scale 0.001 --rounds 1 --requests 4 --connections 2,3';

/** Runs the benchmark in an empty folder. Returns its results and what is left in the folder. */
async function runBenchmark(options: string) {
  const folder = await temporaryDirectory();
  const json = join(folder, 'results.json');
  const args = [join(import.meta.dirname, 'run.ts'), ...`${options} ${TINY}`.split(' '), '--json', json];
  const ended = promisify(execFile)(process.execPath, args, { env: { ...process.env, TMPDIR: folder } });
  const code = await ended.then(
    () => 0,
    (error: { readonly code: number }) => error.code,
  );
  return { code, left: await readdir(folder), run: readRun(await readFile(json, 'utf8')) };
}

test(
  'the benchmark measures every scenario, writes results that tables and plots are made of, and removes its folder',
  async () => {
    const { code, left, run } = await runBenchmark('--workspaces 6');
    expect([code, left]).toEqual([0, ['results.json']]);
    const { measurements, verdicts, failures } = run;
    expect(failures).toEqual([]);
    const reported = new Set([...measurements, ...verdicts].map(({ scenario }) => scenario));
    expect([...reported].sort()).toEqual(Object.keys(SCENARIOS).sort());
    for (const { name, rate } of measurements) {
      expect(rate.least, name).toBeGreaterThan(0);
      expect(rate.median, name).toBeGreaterThanOrEqual(rate.least);
      expect(rate.greatest, name).toBeGreaterThanOrEqual(rate.median);
    }
    const tables = describeRun(run);
    for (const { what, value } of verdicts) {
      // The kernel counts processor time in steps of 10 ms, and a few requests may need less.
      if (what.startsWith('CPU')) expect(value.median, what).toBeGreaterThanOrEqual(0);
      // A few requests that wait may need no more memory.
      else if (what.startsWith('memory of')) expect(value.median, what).not.toBeNaN();
      else expect(value.median, what).toBeGreaterThan(0);
      expect(tables).toContain(what);
    }
    for (const svg of Object.values(plotsOf(run))) expect(svg).toMatch(/^<svg[\s\S]*<path[\s\S]*<\/svg>\s*$/);
  },
  TIMEOUT_MS,
);

test(
  'if a scenario fails, the others still run, the results name it, and the folder is removed',
  async () => {
    const { code, left, run } = await runBenchmark('counts age creates --workspaces 2');
    expect([code, left]).toEqual([1, ['results.json']]);
    expect(run.failures).toEqual([{ scenario: 'age', reason: 'At least 6 workspaces are needed.' }]);
    expect(new Set(run.verdicts.map(({ scenario }) => scenario))).toEqual(new Set(['counts', 'creates']));
    expect(describeRun(run)).toContain('The scenario age failed, and its later figures are missing');
  },
  TIMEOUT_MS,
);

test('a value that is missing is neither a figure nor a bar that is met', () => {
  const lines: string[] = [];
  const { of, results } = createReports((line) => lines.push(line));
  of('pages').verdict('memory', [1, Number.NaN, 2], { most: 3 }, 'MB');
  expect(results.verdicts).toMatchObject([{ met: false, value: { median: Number.NaN } }]);
  expect(lines).toEqual([expect.stringMatching(/^missing memory: – /)]);
  of('pages').verdict('rate', [], null);
  expect(lines.at(-1)).toMatch(/^missing rate: – /);
});
