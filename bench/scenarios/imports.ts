import { alternate, ratios, type Series } from '../measure/rounds.ts';
import { createFilled } from '../target/workspaces.ts';
import { agePair } from './age.ts';
import { copyRows, importFile, importInTenths, sendBatches } from './bulk.ts';
import type { Scenario } from './scenario.ts';

const WORKSPACES_PER_ROUND = 2;
const COMPANIES = 100;
const LAST_PER_FIRST_MIN = 0.85;
const PER_COPY_MIN = 0.5;
const BATCHES_PER_IMPORT_MIN = 0.6;
const MEMORY_MB_MAX = 300;

/**
 * Imports of the size of the large workspaces, one after another, each into a new one; next to each, a plain COPY of the
 * same rows, HTTP batches, and both ways into an old one. Then one import of the size of the largest workspace.
 */
export const imports: Scenario = async ({ target, effort, report }) => {
  const [largest = 0, large = 0]: number[] = target.workspaces.map(({ audits }) => audits);
  const count = effort.rounds * WORKSPACES_PER_ROUND;
  const { old } = agePair(target.workspaces);
  // Each round needs three, and the last import another one. The first round warms up.
  const fresh = await createFilled(target.installation, target.service, 3 * (count + 1) + 1, COMPANIES);
  let taken = 0;
  const take = () => fresh[taken++] ?? old;
  let memoryMb = 0;
  let imported = old;
  const subjects = {
    import: async () => {
      imported = take();
      const { sample, peakMemoryMb } = await importFile(target, imported, large);
      memoryMb = Math.max(memoryMb, peakMemoryMb);
      return sample;
    },
    COPY: () => copyRows(target, imported, take()),
    'HTTP batches into a new workspace': () => sendBatches(target, take(), large),
    'import into an old workspace': async () => (await importFile(target, old, large)).sample,
    'HTTP batches into an old workspace': () => sendBatches(target, old, large),
  };
  const named = Object.entries(subjects).map(([name, measure]) => ({ name, measure }));
  const all = await alternate(named, count);
  for (const [i, { name }] of named.entries()) report.series(name, all[i] ?? [], { audits: large });
  const [ofImport = [], ofCopy = [], ofBatches = [], ofOldImport = [], ofOldBatches = []] = all;

  report.verdict(`import into the last of ${count} workspaces, against the first`, lastPerFirst(ofImport), {
    least: LAST_PER_FIRST_MIN,
  });
  report.verdict('import against COPY', ratios(ofImport, ofCopy, 'rate'), { least: PER_COPY_MIN });
  for (const [age, batches, imports] of [
    ['a new', ofBatches, ofImport],
    ['an old', ofOldBatches, ofOldImport],
  ] as const)
    report.verdict(
      `HTTP batches into ${age} workspace, against imports into it`,
      ratios(batches, imports, 'rate'),
      {
        least: BATCHES_PER_IMPORT_MIN,
      },
    );
  const { tenths, peakMemoryMb } = await importInTenths(target, take(), largest);
  report.series('tenths of an import', tenths, { audits: largest });
  report.verdict('last tenth of an import, against the first', lastPerFirst(tenths), {
    least: LAST_PER_FIRST_MIN,
  });
  report.verdict(
    'most memory of an import',
    [Math.max(memoryMb, peakMemoryMb)],
    { most: MEMORY_MB_MAX },
    'MB',
  );
};

const lastPerFirst = (series: Series): readonly number[] => [
  (series.at(-1)?.rate ?? Number.NaN) / (series[0]?.rate ?? Number.NaN),
];
