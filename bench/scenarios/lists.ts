import { setTimeout } from 'node:timers/promises';
import { CONTRACT, type ResourceContract, rangesOf, sortsOf, sortsOfRange } from '@svc/sdk/contract';
import { read } from '../bench.ts';
import type { LoadRequest } from '../measure/load.ts';
import { createOwner } from '../target/dashboard.ts';
import { audit, company, contentItem, linesOf, searchedCompany, searchedMention } from '../target/records.ts';
import { importAudits } from '../target/workspaces.ts';
import { measureRequests } from './pair.ts';
import type { Scenario } from './scenario.ts';

const RECORDS = 100_000;
const RECORDS_MIN = 100;
/** People who use the same workspace at the same moment. */
const CONNECTIONS = 4;
const P95_MS_MAX = 200;
const POLL_MS = 1_000;
const WORDS_MAX_MS = 300_000;

/** What people search for, by what it is. */
const SEARCHES = {
  'a rare word': 'zeppelin',
  'a common word': 'acme',
  'a word of an eighth': 'quito',
  'a missing word': 'nobody',
  'two common words': 'plant osaka',
  'a rare and a common word': 'acme zeppelin',
  'two words that no record has together': 'lyon osaka',
  'a host': 'news17.example.com',
  'a URL': 'https://www.news17.example.com/17',
  'no word': '%',
} as const;

/** Records are spread over three years up to 2026, and scores up to 100. */
const LEAST = { integer: '50', time: '2025-01-01T00:00:00Z' } as const;

/**
 * Every sort, filter and search of a new workspace with 100,000 records of each resource, on /v1 and in the dashboard. The
 * workspace is newer than the statistics. Its database also has the other workspaces of the benchmark.
 */
export const lists: Scenario = async (context) => {
  const { target, report } = context;
  const { installation, service, workspaces } = target;
  const most = Math.min(RECORDS, Math.max(...workspaces.map(({ audits }) => audits)));
  const records = Math.max(RECORDS_MIN, most);
  const owner = await createOwner(installation, service);
  const { workspaceId, token } = await owner.createKey(owner.workspaceId);
  const fill = (resource: string, record: Parameters<typeof linesOf>[1]) =>
    importAudits(installation, workspaceId, linesOf(records, record), resource);
  await fill('companies', searchedCompany);
  await fill('mentions', (n) => searchedMention(n, records));
  await fill('audits', (n) => audit(n, records));
  await fill('content', (n) => contentItem(n, records));
  for (const resource of ['companies', 'mentions']) await waitForWords(service.origin, resource, token);

  const inDashboard = (path: string): LoadRequest => ({
    method: 'GET',
    path: `/dashboard/api/workspaces/${workspaceId}${path}`,
    headers: owner.headers,
  });
  const paths = [
    ...[CONTRACT.mentions, CONTRACT.companies, CONTRACT.audits, CONTRACT.content].flatMap(listsOf),
    ...['mentions', 'companies'].flatMap((name) =>
      Object.values(SEARCHES).map((q) => `/${name}?${new URLSearchParams({ q })}`),
    ),
    `/mentions?${new URLSearchParams({ q: SEARCHES['a common word'], sentiment: 'negative' })}`,
  ];
  const requests = Object.fromEntries([
    ...paths.map((path) => [`/v1${path}`, read(`/v1${path}`, { token })] as const),
    ...Object.entries(SEARCHES).map(
      ([what, q]) =>
        [`dashboard: search for ${what}`, inDashboard(`/search?${new URLSearchParams({ q })}`)] as const,
    ),
    ...['', '?sentiment=negative', '?q=acme', '?q=zeppelin'].map(
      (query) =>
        [`dashboard: count of mentions${query}`, inDashboard(`/data/mentions/count${query}`)] as const,
    ),
  ]);
  const measured = await measureRequests(context, requests, {}, CONNECTIONS);
  for (const [name, series] of Object.entries(measured))
    report.verdict(
      `p95 of ${name}, ${records} records`,
      series.map(({ p95Ms }) => p95Ms),
      { most: P95_MS_MAX },
      'ms',
    );
};

/** Waits until a search for a missing word needs one page: then the words of all but 5,000 records are indexed. */
async function waitForWords(origin: string, resource: string, token: string): Promise<void> {
  const path = `${origin}/v1/${resource}?q=${SEARCHES['a missing word']}`;
  for (const endMs = performance.now() + WORDS_MAX_MS; performance.now() < endMs; ) {
    const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`the search responds with ${response.status}`);
    const page = (await response.json()) as { readonly pagination: { readonly hasMore: boolean } };
    if (!page.pagination.hasMore) return;
    await setTimeout(POLL_MS);
  }
  throw new Error('the words of records are not indexed');
}

/** Every list of a resource: each sort alone, with each filter, with all of them, and with a range of what it sorts by. */
function listsOf(resource: ResourceContract): readonly string[] {
  const ranges = Object.entries(rangesOf(resource)).filter(([name]) => /After$|Min$/.test(name));
  const filters: readonly Readonly<Record<string, string>>[] = Object.entries(resource.filters).map(
    ([name, field]) => {
      if (name === 'companyId') return { [name]: String(company(1)['id']) };
      // A value that no record has is the longest search.
      return { [name]: field.kind === 'choice' ? (field.values.at(-1) ?? '') : 'nobody.example' };
    },
  );
  const together = filters.length > 1 ? [Object.assign({}, ...filters)] : [];
  const sorts = sortsOf(resource);
  return (sorts.length === 0 ? [undefined] : sorts).flatMap((sort) => {
    const own = ranges.filter(([, range]) => sort === undefined || sortsOfRange(range).includes(sort));
    const ofRange = own.map(([name, { field }]) => ({ [name]: LEAST[field.kind] }));
    return [{}, ...filters, ...together, ...ofRange].map((filter) => {
      const query = new URLSearchParams({ ...(sort === undefined ? {} : { sort }), ...filter });
      return `/${resource.name}${query.size > 0 ? `?${query}` : ''}`;
    });
  });
}
