import type { ListEnvelope } from '@svc/sdk';
import type pg from 'pg';
import { sortsOf } from '../../src/list/definition.ts';
import type { Resource } from '../../src/resources/define.ts';
import { RESOURCES } from '../../src/resources/index.ts';
import type { TestAnswer } from './service.ts';

/** A filter of a list, with two allowed values and one that is not allowed. */
export interface FilterCase {
  readonly name: string;
  readonly column: string;
  readonly good: string;
  readonly other: string;
  readonly bad: string;
}

/** A list for tests that run on every list. All of it comes from the resource's definition. */
export interface ListCase {
  readonly name: string;
  readonly path: string;
  readonly resource: Resource;
  readonly filters: readonly FilterCase[];
  /** Values of `sort`, the default first. Only one if the list has no parameter `sort`. */
  readonly sorts: readonly string[];
}

/** The companies of each seeded workspace. */
export const COMPANY = 'com_one';
export const OTHER_COMPANY = 'com_two';

function filterCase(resource: Resource, name: string): FilterCase {
  const filter = resource.list.filters[name];
  const field = resource.filters[name];
  if (filter === undefined || field === undefined) throw new Error(`${resource.name} has no filter ${name}`);
  const { column } = filter;
  if (field.kind === 'choice') {
    const [good, other] = field.values;
    if (good === undefined || other === undefined) throw new Error(`${name} has less than two values`);
    return { name, column, good, other, bad: `no_${good}` };
  }
  if (field.kind === 'text') {
    return {
      name,
      column,
      good: 'news.example.com',
      other: "o'ther\\ source",
      bad: 'x'.repeat(field.max + 1),
    };
  }
  return { name, column, good: COMPANY, other: OTHER_COMPANY, bad: 'not an id!' };
}

/**
 * Every list of the service with a row for each item. So tests cover a new resource as soon as it is defined. The list of
 * changes, whose rows are packed, has tests of its own.
 */
export const LISTS: readonly ListCase[] = RESOURCES.filter(({ list }) => list.read === undefined).map(
  (resource) => ({
    name: resource.name,
    path: resource.path,
    resource,
    filters: Object.keys(resource.filters).map((name) => filterCase(resource, name)),
    sorts: sortsOf(resource.list)
      .filter((sort) => resource.list.sortable || sort.name === 'created-descending')
      .map(({ name }) => name),
  }),
);

export type Params = Readonly<Record<string, string | number | undefined>>;

/** A URL with the parameters that are not undefined. */
export function urlOf(path: string, params: Params = {}): string {
  const given = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

type Item = { readonly id: string };
export type Envelope = ListEnvelope<Item>;

export const idsOf = ({ data }: Envelope): readonly string[] => data.map(({ id }) => id);

/** The page in a response. Throws, with the response as message, unless the status is 200. */
export function pageOf(answer: TestAnswer): Envelope {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.json<Envelope>();
}

const PAGES_MAX = 1_000;

/** Follows `nextCursor` from the first page to the last. */
export async function walk(
  get: (params: Params) => Promise<TestAnswer>,
  params: Params,
): Promise<readonly Envelope[]> {
  const pages: Envelope[] = [];
  let cursor = params['cursor'];
  while (pages.length < PAGES_MAX) {
    const page = pageOf(await get({ ...params, cursor }));
    pages.push(page);
    if (page.pagination.nextCursor === null) return pages;
    cursor = page.pagination.nextCursor;
  }
  throw new Error('the walk does not end');
}

/** All ids of a list in its order, read with one query that shares no code with the statement for pages. */
export async function bigQuery(
  pool: pg.Pool,
  workspaceId: string,
  { resource }: ListCase,
  {
    sort = 'created-descending',
    equal = {},
  }: { sort?: string; equal?: Readonly<Record<string, string>> } = {},
): Promise<readonly string[]> {
  const [field = '', order = ''] = sort.split('-');
  const column = resource.list.sorts[field]?.column;
  const direction = order === 'ascending' ? 'asc' : 'desc';
  const conditions = Object.keys(equal).map((name, i) => ` and ${name} = $${i + 2}`);
  const { rows } = await pool.query<Item>(
    `select id from ${resource.list.relation} where workspace_id = $1${conditions.join('')}
     order by ${column} ${direction}, id ${direction}`,
    [workspaceId, ...Object.values(equal)],
  );
  return rows.map(({ id }) => id);
}
