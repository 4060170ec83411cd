import type { Position } from '@svc/deployment-secrets/cursors';
import { rangesOf, sortsOfRange } from '@svc/sdk/contract';
import type pg from 'pg';
import { type Sort, sortsOf } from '../../src/list/definition.ts';
import { conditionsOf } from '../../src/list/read.ts';
import { COMPANY, LISTS, type ListCase } from '../harness/lists.ts';

/** A word of all titles of the records in a state (states.ts). The index of words does not help with it. */
export const COMMON_WORD = 'news';

/** Lists of records in the dashboard, and their counts. */
export const RECORD_LISTS = [
  ...['audits', 'mentions', 'content', 'companies'],
  ...['mentions?q=nobody', 'mentions/count?sentiment=negative'],
];

export interface Shape {
  readonly what: string;
  readonly list: ListCase;
  readonly sort: Sort;
  readonly companyId: string | null;
  readonly filters: Readonly<Record<string, string>>;
}

/** Every combination of filters, with and without a key that is limited to a company, in every sort. */
export const SHAPES: readonly Shape[] = LISTS.flatMap((list) => {
  let sets: readonly Readonly<Record<string, string>>[] = [{}];
  for (const { name, good } of list.filters) sets = sets.flatMap((set) => [set, { ...set, [name]: good }]);
  const [company] = list.filters.filter(({ name }) => name === 'companyId');
  const companySet = company === undefined ? {} : { companyId: company.good };
  const companies = list.resource.list.companyColumn === null ? [null] : [null, COMPANY];
  return companies.flatMap((companyId) =>
    sortsOf(list.resource.list)
      .filter(({ name }) => list.sorts.includes(name))
      .flatMap((sort) => {
        const range = rangeWithin(list, sort);
        const searched = 'q' in list.resource.list.filters ? [{ q: COMMON_WORD }] : [];
        const more = companyId === null ? [range, { ...companySet, ...range }, ...searched] : [range];
        return [...sets, ...more].map((filters) => ({
          what: `${list.path} ${sort.name} ${Object.keys(filters).join()}${companyId === null ? '' : ' key of a company'}`,
          list,
          sort,
          companyId,
          filters,
        }));
      }),
  );
});

/** A range of the sort column with a part of the list. */
function rangeWithin({ resource }: ListCase, sort: Sort): Readonly<Record<string, string>> {
  const ranges = Object.entries(rangesOf(resource)).filter(([, range]) =>
    sortsOfRange(range).includes(sort.name),
  );
  return Object.fromEntries(
    ranges.map(([name, { field, operator }]) => {
      const [from, to] =
        field.kind === 'time' ? ['2026-03-10T00:00:00Z', '2026-04-01T00:00:00Z'] : ['20', '80'];
      return [name, operator === '>=' ? from : to];
    }),
  );
}

/** Where a page starts: in the middle of the list, or so near its ends that it is not full. */
export const PLACES = [
  'count(*) / 2',
  'greatest(0, least(2, count(*) - 1))',
  'greatest(0, count(*) - 3)',
] as const;

/** The item at a place of the list, in ascending order. Undefined: the list is empty. */
export async function itemAt(
  place: (typeof PLACES)[number],
  pool: pg.Pool,
  workspaceId: string,
  { list, sort, ...wanted }: Shape,
): Promise<Position | undefined> {
  const { relation } = list.resource.list;
  const scope = { ...wanted, workspaceId };
  const { equal, compared } = conditionsOf(list.resource.list, { ...wanted, sort }, scope);
  const values = [
    ...Object.entries(equal).map(([column, value]) => ({ column, value, operator: '=', type: 'text' })),
    ...compared.filter(({ operator }) => operator !== 'search'),
  ];
  const where = values
    .map(({ column, operator, type }, i) => ` and ${column} ${operator} $${i + 2}::${type}`)
    .join('');
  const { rows } = await pool.query<{ key: string; id: string }>(
    `select ${sort.column.column}::text as key, id from ${relation} where workspace_id = $1${where} order by ${sort.column.column}, id
     offset (select ${place} from ${relation} where workspace_id = $1${where}) limit 1`,
    [workspaceId, ...values.map(({ value }) => value)],
  );
  const [row] = rows;
  return row && { side: 'after', ...row };
}
