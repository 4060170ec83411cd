import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeRun, plotsOf, readRun } from './figures.ts';

/**
 * Writes the figures of docs/performance.md and its plots from the results in docs/performance: the files that
 * `npm run bench -- --json FILE` has written there. The plots come from the newest PostgreSQL.
 */

const DOCUMENT = join(import.meta.dirname, '../docs/performance.md');
const FOLDER = join(import.meta.dirname, '../docs/performance');
const BLOCK = /(<!-- figures -->\n)[\s\S]*(<!-- end of figures -->)/;
const PLOTS = `
![Rate over the number of active workspaces](performance/workspaces.svg)

![Rate over the size of the workspace](performance/sizes.svg)
`;

const paths = (await Array.fromAsync(glob('*.json', { cwd: FOLDER }))).sort().reverse();
const texts = await Promise.all(paths.map((path) => readFile(join(FOLDER, path), 'utf8')));
const runs = texts.map(readRun);
const [newest] = runs;
if (newest === undefined) throw new Error(`${FOLDER} has no results.`);
for (const [name, svg] of Object.entries(plotsOf(newest)))
  await writeFile(join(FOLDER, `${name}.svg`), `${svg}\n`);
const before = await readFile(DOCUMENT, 'utf8');
if (!BLOCK.test(before)) throw new Error(`${DOCUMENT} has no place for the figures.`);
const figures = [PLOTS, ...runs.map(describeRun)].join('\n');
await writeFile(
  DOCUMENT,
  before.replace(BLOCK, (_, begin: string, end: string) => `${begin}${figures}\n${end}`),
);
