import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { freePort } from '../service/src/server/listen.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from './screenshots/chromium.ts';
import { startDemo } from './screenshots/demo.ts';

// `npm run lighthouse -- [--rounds 5] [--preset desktop]` measures the first pages of a person who has signed in, with the
// demo's data. npx downloads Lighthouse, which is too large for a dependency. The exit code is 1 if a median is below its
// bar.

const LIGHTHOUSE = 'lighthouse@13.5.0';
const PAGES = { overview: '', keys: '/keys', log: '/log' } as const;
const BARS = { performance: 92, accessibility: 100, 'best-practices': 100 } as const;
const REPORT_MAX_BYTES = 64_000_000;
const ATTEMPTS = 5;

type Category = keyof typeof BARS;

/** The part of the report of Lighthouse that is shown. Scores are from 0 to 1, and null if they do not apply. */
interface Report {
  readonly categories: Readonly<
    Record<Category, { readonly score: number | null; readonly auditRefs: readonly AuditRef[] }>
  >;
  readonly audits: Readonly<
    Record<string, { readonly score: number | null; readonly title: string; readonly displayValue?: string }>
  >;
  /** How fast the machine was. Lighthouse expects 1,500 to 2,000, and takes the phone to be four times slower. */
  readonly environment: { readonly benchmarkIndex: number };
}

interface AuditRef {
  readonly id: string;
  readonly weight: number;
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, preset: { type: 'string', default: 'phone' } },
});
const rounds = Number(values.rounds);
const preset = values.preset === 'desktop' ? ['--preset=desktop'] : [];
const executablePath = findChromium();
if (executablePath === undefined) {
  console.error('lighthouse: /usr/bin/chromium does not exist and cannot be installed');
  process.exit(1);
}
const data = await mkdtemp(join(tmpdir(), 'svc-lighthouse-'));
const demo = await startDemo(join(data, 'service'));
const port = await freePort('127.0.0.1');
const browser = await chromium.launchPersistentContext(join(data, 'browser'), {
  executablePath,
  args: [...CHROMIUM_ARGUMENTS, `--remote-debugging-port=${port}`],
});
try {
  const page = await browser.newPage();
  await page.goto(demo.signInLink);
  await page.waitForURL(/\/w\//);
  await page.close();
  const reports = new Map<string, Report[]>(Object.keys(PAGES).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const [name, path] of Object.entries(PAGES)) {
      const report = await measureAgain(`${demo.url}/w/${demo.workspaceId}${path}`);
      reports.get(name)?.push(report);
      const load = loadavg()[0]?.toFixed(1);
      const index = Math.round(report.environment.benchmarkIndex);
      console.error(
        `round ${round}, ${name}: ${scoresOf(report).join(' ')}, load ${load} of ${availableParallelism()}, index ${index}`,
      );
      for (const problem of problemsOf(report)) console.error(`  ${problem}`);
    }
  }
  console.log(`| Page | ${Object.keys(BARS).join(' | ')} |\n|---|---|---|---|`);
  for (const [name, all] of reports) console.log(`| ${name} | ${summary(all).join(' | ')} |`);
} finally {
  await browser.close();
  await demo.stop();
  await rm(data, { recursive: true, force: true });
}

/** A busy machine can make Lighthouse miss the start of the page. Then it ends with an error. */
async function measureAgain(url: string): Promise<Report> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    try {
      return await measure(url);
    } catch (error) {
      console.error(String(error).split('\n').at(0));
    }
  }
  return measure(url);
}

async function measure(url: string): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      ...['--yes', LIGHTHOUSE, url, `--port=${port}`, ...preset],
      `--only-categories=${Object.keys(BARS).join(',')}`,
      ...['--output=json', '--quiet', '--no-enable-error-reporting'],
    ],
    { cwd: data, maxBuffer: REPORT_MAX_BYTES },
  );
  return JSON.parse(stdout) as Report;
}

function scoresOf({ categories }: Report): readonly number[] {
  return Object.keys(BARS).map((name) => Math.round((categories[name as Category].score ?? 0) * 100));
}

/** The audits that cost points. */
function problemsOf({ categories, audits }: Report): readonly string[] {
  return Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.flatMap(({ id, weight }) => {
      const { score = null, title, displayValue = '' } = audits[id] ?? {};
      return weight === 0 || score === null || score === 1 ? [] : [`${title}: ${displayValue}`];
    }),
  );
}

function summary(all: readonly Report[]): readonly string[] {
  return Object.entries(BARS).map(([, bar], index) => {
    const scores = all.map((report) => scoresOf(report)[index] ?? 0).toSorted((a, b) => a - b);
    const median = scores[Math.floor(scores.length / 2)] ?? 0;
    if (median < bar) process.exitCode = 1;
    return `${median} (${scores[0]} to ${scores.at(-1)}), ${median < bar ? 'missed' : 'met'}`;
  });
}
