import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMPANY, LISTS } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { listen } from '../harness/socket.ts';
import { createWorld, ITEMS, seedRow } from '../harness/world.ts';
import { DOCUMENTS, examplesOf, isServer } from './documents.ts';
import { canRun, runExample, userProject } from './run.ts';
import { typeErrors } from './typescript.ts';

const ADDRESS = 'http://127.0.0.1:8080';
/** Audits and mentions: several pages of 100, the last one not full. */
const MANY_ITEMS = 250;
/** Shows failures. */
const FAILING = 'docs/guides/errors.md';
/** Its examples write what stays. */
const WRITING = 'docs/guides/idempotency.md';

/** What an example is there to show. */
const SHOWN: Readonly<Record<string, RegExp>> = {
  'docs/guides/idempotency.md sh 1': /^idempotent-replayed: true/im,
  'docs/guides/pagination.md sh 8': /^304$/m,
  'docs/guides/sandbox.md sh 1': /^dry-run: true/im,
};

let directory: string;
beforeAll(async () => {
  directory = await userProject();
});

/** The true number of records of a list, as `250 audits`. */
async function countsOf(pool: pg.Pool, workspaceId: string): Promise<readonly string[]> {
  return Promise.all(
    ['audits', 'mentions'].map(async (name) => {
      const { rows } = await pool.query<{ records: number }>(
        `select count(*)::int as records from ${name} where workspace_id = $1`,
        [workspaceId],
      );
      return `${rows[0]?.records} ${name}`;
    }),
  );
}

describe.each(DOCUMENTS)('%s', (path) => {
  let env: NodeJS.ProcessEnv;
  let counts: () => Promise<readonly string[]>;
  beforeAll(async () => {
    const { service, workspaceId } = await createWorld();
    for (const list of LISTS.filter(({ name }) => name === 'audits' || name === 'mentions')) {
      const rows = Array.from({ length: MANY_ITEMS - ITEMS }, (_, index) => seedRow(list, ITEMS + index));
      await seedRecords(service.pool, workspaceId, list.resource, rows);
    }
    const mode = path === WRITING ? 'live' : 'test';
    const token = await service.token(workspaceId, { mode, access: 'write' });
    env = { SVC_BASE_URL: await listen(service), SVC_API_KEY: token, COMPANY_ID: COMPANY };
    counts = () => countsOf(service.pool, workspaceId);
  });

  for (const example of examplesOf(path).filter((one) => !isServer(one))) {
    // The languages that are not installed here were printed above.
    test.skipIf(!canRun(example.language))(`runs as it is: ${example.name}`, async () => {
      const text = example.text.replaceAll(ADDRESS, String(env['SVC_BASE_URL']));
      const { stdout, stderr } = await runExample({ ...example, text }, env, directory);
      // Progress and messages of the command line.
      expect(stderr.replace(/^svc: .*\n/gm, '')).toBe('');
      expect(stdout).not.toBe('');
      if (path === FAILING) expect(stdout + stderr).toMatch(/invalid_parameter|must be an integer/);
      else expect(stdout).not.toMatch(/"error"|\bFalse\b|\bfalse$/m);
      expect(stdout).toMatch(SHOWN[`${path} ${example.name}`] ?? '');
      // A count that it prints is the true one.
      for (const [count] of stdout.matchAll(/^\d+ (?:audits|mentions)/gm)) {
        expect(await counts()).toContain(count);
      }
    });
  }
});

const all = DOCUMENTS.flatMap((path) => examplesOf(path));

test('every language has an example that walks all pages and counts', () => {
  for (const language of ['sh', 'ts', 'python'] as const) {
    const counting = all.filter(
      (example) => example.language === language && /audits["`]/.test(example.text),
    );
    expect(counting).not.toEqual([]);
  }
});

test('every guide in which a program calls the service shows the command line too', () => {
  for (const path of DOCUMENTS.filter((document) => document.startsWith('docs/'))) {
    const examples = examplesOf(path);
    if (!examples.some(({ language }) => language === 'ts')) continue;
    const commands = examples.filter(({ language, text }) => language === 'sh' && /\bsvc /.test(text));
    expect({ path, commands: commands.length > 0 }).toEqual({ path, commands: true });
  }
});

test('no example sends a key to an address that its reader has not set', () => {
  const fixed = all.filter(({ text }) => text.includes('SVC_API_KEY') && text.includes(ADDRESS));
  expect(fixed).toEqual([]);
});

test('what the examples are there to show is looked for in examples that there are', () => {
  const names = DOCUMENTS.flatMap((path) => examplesOf(path).map(({ name }) => `${path} ${name}`));
  expect(names).toEqual(expect.arrayContaining(Object.keys(SHOWN)));
});

test('every example in TypeScript is typed', async () => {
  const examples = all.filter(({ language }) => language === 'ts');
  expect(examples.length).toBeGreaterThan(0);
  const files = await Promise.all(
    examples.map(async ({ text }, index) => {
      const file = join(directory, `typed-${index}.ts`);
      await writeFile(file, text);
      return file;
    }),
  );
  expect(await typeErrors(directory, files)).toBe('');
});
