import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

// `node bench/import/generate.ts AUDITS COMPANIES DIRECTORY` writes companies.ndjson, audits.ndjson and audits.csv: audits
// with ids, and their companies.

const [auditCount = 1_000_000, companyCount = 1_000] = process.argv.slice(2, 4).map(Number);
const directory = process.argv[4] ?? '.';

const START_MS = Date.parse('2023-01-01T00:00:00Z');
const THREE_YEARS_S = 3 * 365 * 24 * 60 * 60;
/** Multipliers that spread consecutive numbers over a range, the same way every time. */
const SPREAD = { company: 7_919, score: 31, time: 7_777_777 } as const;
const ID_DIGITS = 26;
const RECORDS_PER_CHUNK = 1_000;

const idOf = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(ID_DIGITS, '0')}`;

function audit(n: number): readonly [string, string, number, string] {
  const completedMs = START_MS + ((n * SPREAD.time) % THREE_YEARS_S) * 1_000;
  return [
    idOf('aud', n),
    idOf('com', (n * SPREAD.company) % companyCount),
    (n * SPREAD.score) % 101,
    new Date(completedMs).toISOString(),
  ];
}

function* chunks(count: number, line: (n: number) => string, header = ''): Generator<string> {
  yield header;
  for (let n = 0; n < count; n += RECORDS_PER_CHUNK) {
    const end = Math.min(count, n + RECORDS_PER_CHUNK);
    yield Array.from({ length: end - n }, (_, i) => `${line(n + i)}\n`).join('');
  }
}

const write = async (name: string, source: Generator<string>): Promise<void> =>
  pipeline(Readable.from(source), createWriteStream(`${directory}/${name}`));

await write(
  'companies.ndjson',
  chunks(companyCount, (n) => JSON.stringify({ id: idOf('com', n), name: `Company ${n}` })),
);
await write(
  'audits.ndjson',
  chunks(auditCount, (n) => {
    const [id, companyId, headlineScore, completedAt] = audit(n);
    return JSON.stringify({ id, companyId, headlineScore, completedAt });
  }),
);
await write(
  'audits.csv',
  chunks(auditCount, (n) => audit(n).join(','), 'id,companyId,headlineScore,completedAt\n'),
);
