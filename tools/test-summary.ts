import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

// `node tools/test-summary.ts RESULTS [STEP…]` prints the failed steps, then each failed test of vitest's JSON report in
// the file RESULTS with the start of its error, then a line such as "8501 passed, 1 failed". The output of a whole run is
// long, and some places show only its end.

/** The part of vitest's JSON report that the summary needs. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  /** Why the file as a whole failed. */
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[] | null;
  }[];
}

const ERROR_LINES = 12;

const startOf = (text: string): string =>
  stripVTControlCharacters(text).split('\n').slice(0, ERROR_LINES).join('\n  ');

function failures({ name, status, message, assertionResults }: TestFile): readonly string[] {
  const file = relative(process.cwd(), name);
  const tests = assertionResults
    .filter((test) => test.status === 'failed')
    .map((test) => `${file} > ${test.fullName}\n  ${startOf((test.failureMessages ?? []).join('\n'))}`);
  return status === 'failed' && tests.length === 0 ? [`${file}\n  ${startOf(message)}`] : tests;
}

/** Undefined: vitest has written no report. */
function read(path: string): Report | undefined {
  const text = readFileSync(path, 'utf8');
  return text === '' ? undefined : JSON.parse(text);
}

const [path, ...steps] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node tools/test-summary.ts RESULTS [STEP…]');
const report = read(path);
const failed = report?.testResults.flatMap(failures) ?? ['no test ran'];
for (const step of steps) console.log(`\nfailed step: ${step}`);
for (const failure of failed) console.log(`\nfailed test: ${failure}`);
console.log(`\n${report?.numPassedTests ?? 0} passed, ${failed.length} failed`);
