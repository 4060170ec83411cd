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

const CITIES = ['Lyon', 'Porto', 'Osaka', 'Berlin', 'Quito', 'Accra', 'Turin', 'Bergen'] as const;
/** How many records there are for one with the word `zeppelin`. */
const RARE = 5_000;
const HOSTS = 1_000;
const titleOf = (n: number): string =>
  `Acme opens plant ${n} in ${CITIES[n % CITIES.length] ?? CITIES[0]}${n % RARE === 0 ? ', with a zeppelin' : ''}`;

/** A mention with words that all have, that an eighth has, and that few have. */
export const searchedMention = (n: number, companies: number): NewRecord => ({
  ...mention(n, companies),
  id: idOf('men', 1, n),
  url: `https://www.news${n % HOSTS}.example.com/${n}`,
  title: titleOf(n),
});

/** A company with such words. */
export const searchedCompany = (n: number): NewRecord => ({
  ...company(n),
  name: titleOf(n),
  domain: `www.company${n}.example.com`,
});

/** Lines of NDJSON, in chunks. */
export function* linesOf(count: number, record: (n: number) => NewRecord): Generator<string> {
  for (let n = 0; n < count; n += CHUNK_RECORDS) {
    const length = Math.min(CHUNK_RECORDS, count - n);
    yield Array.from({ length }, (_, i) => `${JSON.stringify(record(n + i))}\n`).join('');
  }
}

/** Lines of NDJSON with audits that have new ids, in chunks. */
export function* auditLines(audits: number, companies: number): Generator<string> {
  const series = newSeries();
  yield* linesOf(audits, (n) => ({ id: idOf('aud', series, n), ...audit(n, companies) }));
}
