import { isId } from '@svc/sdk/contract';
import type { Connections } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import { allowParameters, orInvalidParameter } from '../../api/guards.ts';
import { readPage } from '../../api/reads.ts';
import { COUNTED_ROWS_MAX, SEARCHED_ROWS_MAX } from '../../config/limits.ts';
import { lookUp } from '../../database/look-up.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { JSON_UTF8 } from '../../http/json-type.ts';
import { countKeyset } from '../../list/count.ts';
import { parseListQuery } from '../../list/query.ts';
import { conditionsOf } from '../../list/read.ts';
import { readCount, readRecord } from '../../records/read.ts';
import type { Resource } from '../../resources/define.ts';
import { companies, RECORD_RESOURCES } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import { COMPANY_NAMES_MAX, NAME_MAX_CHARACTERS } from '../limits.ts';
import type { CompanyNames } from '../wire.ts';
import { likeContaining } from './search.ts';
import type { ListCount } from './wire.ts';

type Query = { Querystring: Record<string, unknown> };
type List = Query & { Params: { resource: string } };
export type One = { Params: { resource: string; recordId: string } };

export const DATA = '/workspaces/:workspaceId/data/:resource';

/** The records of the workspace for its members: the lists and records of the API. */
export function registerData(api: FastifyInstance, { pool, sessions, reader }: DashboardContext): void {
  api.get<List>(DATA, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const { list } = resourceOf(request.params);
    const page = await readPage(reader, list, request.query, { workspaceId, companyId: null });
    return reply.type(JSON_UTF8).send(page.body());
  });

  api.get<List>(`${DATA}/count`, async (request, reply): Promise<ListCount> => {
    const { workspaceId } = await sessions.member(request, reply);
    const resource = resourceOf(request.params);
    const { list } = resource;
    allowParameters(request.query, [...(list.sortable ? ['sort'] : []), ...Object.keys(list.filters)]);
    const query = orInvalidParameter(parseListQuery(list, request.query));
    const { companyId = null, ...others } = query.filters;
    if (Object.keys(others).length === 0) {
      const { count } = await readCount(pool, resource, { workspaceId, companyId }, false);
      return { count, more: false };
    }
    const conditions = conditionsOf(list, query, { workspaceId, companyId: null });
    const read = { list, workspaceId, ...conditions, ...query, position: undefined, limit: COUNTED_ROWS_MAX };
    return countKeyset(pool, read);
  });

  api.get<One>(`${DATA}/:recordId`, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const resource = resourceOf(request.params);
    const scope = { workspaceId, companyId: null };
    const record = await readRecord(pool, resource, scope, request.params.recordId);
    if (record === undefined) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
    return reply.header('etag', record.etag).type(JSON_UTF8).send(record.doc);
  });

  // The names of companies: those of the ids in `ids`, or those whose name, domain or id contains `search`.
  api.get<Query>('/workspaces/:workspaceId/company-names', async (request, reply): Promise<CompanyNames> => {
    const { workspaceId } = await sessions.member(request, reply);
    allowParameters(request.query, ['search', 'ids']);
    const { ids, search = '' } = request.query;
    if (typeof ids === 'string')
      return { data: await findByIds(pool, workspaceId, idsOf(ids)), partial: false };
    return findByText(pool, workspaceId, searchOf(String(search)));
  });
}

export function resourceOf({ resource }: { readonly resource: string }): Resource {
  const found = RECORD_RESOURCES.find(({ name }) => name === resource);
  if (found === undefined) throw new ApiError('not_found', 'There is no such path.');
  return found;
}

function idsOf(text: string): readonly string[] {
  const ids = text.split(',').filter((id) => id !== '');
  if (ids.length <= COMPANY_NAMES_MAX && ids.every(isId)) return ids;
  throw new ApiError(
    'invalid_parameter',
    `"ids" must be at most ${COMPANY_NAMES_MAX} ids of companies, separated by commas.`,
  );
}

function searchOf(text: string): string {
  if (text.length <= NAME_MAX_CHARACTERS && !text.includes('\0')) return text;
  throw new ApiError(
    'invalid_parameter',
    `"search" must be text of at most ${NAME_MAX_CHARACTERS} characters, without U+0000.`,
  );
}

const selectByIds = statement('companies_by_id', 'request')`
  select company.* from (select distinct unnest($2::text[]) as id) wanted cross join lateral (
    ${lookUp({ select: 'id, name, domain', from: 'companies', key: 'wanted.id' })}) company
  order by name, id`;

async function findByIds(
  pool: Connections,
  workspaceId: string,
  ids: readonly string[],
): Promise<CompanyNames['data']> {
  const { rows } = await pool.query<CompanyNames['data'][number]>(selectByIds(workspaceId, ids));
  return rows;
}

/** The company with this id, then those whose name starts with the text, then others of the newest, each by name. */
const selectByText = statement('search_companies', 'bulk')`
  with found as (
    (${lookUp({ select: 'id, name, domain, 1 as place', from: 'companies' })})
    union all
    (select id, name, domain, 2 from (
      select id, name, domain from companies where workspace_id = $1 and lower(name) collate "C" >= lower($2)
      order by lower(name) collate "C", id limit $5) following
    where starts_with(lower(name), lower($2)) and id <> $2)
    union all
    (select id, name, domain, 3 from (
      select id, name, domain from companies where workspace_id = $1 order by created_at desc, id desc limit $4) newest
    where (name ilike $3 or domain ilike $3 or id like $3) and not starts_with(lower(name), lower($2)) and id <> $2)
    limit $5
  )
  select id, name, domain from found order by place, name, id`;

/** The first companies by name, if `text` is empty. */
async function findByText(pool: Connections, workspaceId: string, text: string): Promise<CompanyNames> {
  const { rows } = await pool.query<CompanyNames['data'][number]>(
    selectByText(workspaceId, text, likeContaining(text), SEARCHED_ROWS_MAX, COMPANY_NAMES_MAX),
  );
  if (text === '' || rows.length === COMPANY_NAMES_MAX) return { data: rows, partial: false };
  const { count } = await readCount(pool, companies, { workspaceId, companyId: null }, false);
  return { data: rows, partial: count > SEARCHED_ROWS_MAX };
}
