/** The records that the benchmark writes. Their values are spread over their range, the same way every time. */

const START_MS = Date.parse('2023-01-01T00:00:00Z');
const THREE_YEARS_S = 3 * 365 * 24 * 60 * 60;
const SCORES = 101;
const SPREAD = { company: 7_919, score: 31, time: 7_777_777 } as const;
const ID_DIGITS = 26;
const CHUNK_RECORDS = 1_000;

export type NewRecord = Readonly<Record<string, string | number>>;

/** The id of the n-th record of a series, such as one file. */
export const idOf = (prefix: string, series: number, n: number): string =>
  `${prefix}_${String(series).padStart(ID_DIGITS / 2, '0')}${String(n).padStart(ID_DIGITS / 2, '0')}`;

let lastSeries = 0;
/** The number of a new series. */
export const newSeries = (): number => ++lastSeries;

const timeOf = (n: number): string =>
  new Date(START_MS + ((n * SPREAD.time) % THREE_YEARS_S) * 1_000).toISOString();

export const company = (n: number): NewRecord => ({ id: idOf('com', 0, n), name: `Company ${n}` });

/** The n-th audit, without an id. */
export const audit = (n: number, companies: number): NewRecord => ({
  companyId: idOf('com', 0, (n * SPREAD.company) % companies),
  headlineScore: (n * SPREAD.score) % SCORES,
  completedAt: timeOf(n),
});

const SENTIMENTS = ['positive', 'neutral', 'negative'] as const;
export const mention = (n: number, companies: number): NewRecord => ({
  companyId: idOf('com', 0, (n * SPREAD.company) % companies),
  source: 'news.example.com',
  url: `https://news.example.com/${n}`,
  title: `Mention ${n}`,
  excerpt: 'The text around the mention.',
  sentiment: SENTIMENTS[n % SENTIMENTS.length] ?? SENTIMENTS[0],
  publishedAt: timeOf(n),
});

export const contentItem = (n: number, companies: number): NewRecord => ({
  companyId: idOf('com', 0, (n * SPREAD.company) % companies),
  title: `Content item ${n}`,
});

/** Lines of NDJSON with audits that have new ids, in chunks. */
export function* auditLines(audits: number, companies: number): Generator<string> {
  const series = newSeries();
  for (let n = 0; n < audits; n += CHUNK_RECORDS) {
    const count = Math.min(CHUNK_RECORDS, audits - n);
    yield Array.from(
      { length: count },
      (_, i) => `${JSON.stringify({ id: idOf('aud', series, n + i), ...audit(n + i, companies) })}\n`,
    ).join('');
  }
}
