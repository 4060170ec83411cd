import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeRun, plotsOf, readRun } from './figures.ts';

/**
 * Writes the figures of docs/performance.md and its plots from results of `npm run bench -- --json FILE`:
 *
 *   node bench/document.ts [FILE …]
 *
 * Default: docs/performance/results.json. The plots come from the first file.
 */

const DOCUMENT = join(import.meta.dirname, '../docs/performance.md');
const FOLDER = join(import.meta.dirname, '../docs/performance');
const BLOCK = /(<!-- figures -->\n)[\s\S]*(<!-- end of figures -->)/;
const PLOTS = `
![Rate over the number of active workspaces](performance/workspaces.svg)

![Rate over the size of the workspace](performance/sizes.svg)
`;

const paths = process.argv.slice(2);
const texts = await Promise.all(
  (paths.length > 0 ? paths : [join(FOLDER, 'results.json')]).map((path) => readFile(path, 'utf8')),
);
const runs = texts.map(readRun);
const [first] = runs;
if (first === undefined) throw new Error('There are no results.');
await mkdir(FOLDER, { recursive: true });
for (const [name, svg] of Object.entries(plotsOf(first)))
  await writeFile(join(FOLDER, `${name}.svg`), `${svg}\n`);
const before = await readFile(DOCUMENT, 'utf8');
if (!BLOCK.test(before)) throw new Error(`${DOCUMENT} has no place for the figures.`);
const figures = [PLOTS, ...runs.map(describeRun)].join('\n');
await writeFile(
  DOCUMENT,
  before.replace(BLOCK, (_, begin: string, end: string) => `${begin}${figures}\n${end}`),
);
