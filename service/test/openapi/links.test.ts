import { openApiDocument } from '@svc/openapi';
import type { Link } from '@svc/openapi/types';
import { rangesOf, SEARCH, sortsOfRange } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { type Envelope, idsOf, LISTS, type ListCase, type Params, pageOf, urlOf } from '../harness/lists.ts';
import { createWorld } from '../harness/world.ts';

const world = await createWorld();
const { paths } = openApiDocument({ publicUrl: 'https://svc.example.com', version: '0' });

/** The path of the operation of a link, which is the list itself, and its parameters with the values of a page. */
function follow(
  { operationId, parameters = {} }: Link,
  query: Params,
  page: Envelope,
): readonly [string, Params] {
  const path = Object.keys(paths).find((each) => paths[each]?.['get']?.operationId === operationId) ?? '';
  const evaluate = (expression: string): string | number | undefined => {
    if (expression.startsWith('$request.query.')) return query[expression.slice('$request.query.'.length)];
    if (!expression.startsWith('$response.body#/')) return expression;
    const steps = expression.slice('$response.body#/'.length).split('/');
    return String(steps.reduce<unknown>((value, step) => Object(value)[step], page));
  };
  const values = Object.entries(parameters).map(([name, expression]) => [name, evaluate(expression)]);
  return [path, Object.fromEntries(values)];
}

const read = async (path: string, params: Params): Promise<Envelope> =>
  pageOf(await world.get({ path }, { limit: 1, ...params }));

/** Reads the page to which a link of a page of the list leads. */
function alongLinksOf(list: string) {
  const { links }: { readonly links?: Readonly<Record<string, Link>> } = Object(
    paths[list]?.['get']?.responses[200],
  );
  return async (name: string, params: Params, page: Envelope): Promise<Envelope> => {
    const link = links?.[name];
    if (link === undefined) throw new Error(`there is no link ${name}`);
    return read(...follow(link, params, page));
  };
}

/** A query for each parameter that selects items. Each selects several of them. */
function queriesOf({ resource, filters, sorts }: ListCase): readonly Params[] {
  const sorted = (sort: string | undefined): Params => (sorts.length === 1 ? {} : { sort });
  const ranges = Object.entries(rangesOf(resource)).map(([name, range]): Params => {
    const least = range.operator === '>=';
    const value =
      range.field.kind === 'integer'
        ? range.field[least ? 'min' : 'max']
        : `${least ? 2000 : 2100}-01-01T00:00:00Z`;
    return { ...sorted(sortsOfRange(range)[1]), [name]: value };
  });
  const [searched = ''] = resource.searched ?? [];
  const example = resource.fields[searched]?.example;
  return [
    {},
    ...sorts.map(sorted),
    ...filters.map(({ name, good }) => ({ [name]: good })),
    ...ranges,
    ...(typeof example === 'string' ? [{ [SEARCH]: example }] : []),
  ];
}

const CASES = LISTS.flatMap((list) =>
  queriesOf(list).map((query) => ({ list, query, url: urlOf(list.path, query) })),
);

test.each(CASES)(
  'the links of a page of $url lead to the next page, and back, in both directions',
  async ({ list, query }) => {
    const along = alongLinksOf(list.path);
    for (const direction of ['forward', 'before']) {
      const first = await read(list.path, { ...query, direction });
      const second = await along('NextPage', { ...query, direction }, first);
      const cursor = String(first.pagination.nextCursor);
      expect(idsOf(second)).toEqual(idsOf(await read(list.path, { ...query, direction, cursor })));
      expect(idsOf(second)).not.toEqual(idsOf(first));
      const [before, after] = direction === 'forward' ? [first, second] : [second, first];
      expect(idsOf(await along('NewerItems', query, after))).toEqual(idsOf(before));
    }
  },
);

test.each([{}, { resource: 'companies' }, { type: 'company.created', fields: 'recordId' }])(
  'the link of a page of changes to its position leads to what follows the page, in both orders: %o',
  async (query) => {
    const { service, workspaceId } = world;
    const token = await service.token(workspaceId, { access: 'write' });
    const along = alongLinksOf('/v1/changes');
    let page = await read('/v1/changes', { ...query, after: 'now' });
    const newest = await read('/v1/changes', query);
    const created: string[] = [];
    for (const name of ['First', 'Second', 'Third']) {
      const answer = await service.request(token, '/v1/companies', { method: 'POST', payload: { name } });
      created.push(answer.json<{ id: string }>().id);
    }
    for (const id of created) {
      page = await along('AfterPosition', query, page);
      expect(page.data).toMatchObject([{ recordId: id }]);
    }
    expect((await along('AfterPosition', query, page)).data).toEqual([]);
    expect((await along('AfterPosition', query, newest)).data).toMatchObject([{ recordId: created[0] }]);
  },
);
