import { isId, SEARCH_MAX_CHARACTERS } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { SEARCHED_ROWS_MAX } from '../../config/limits.ts';
import type { Connections } from '../../database/lane.ts';
import { lookUp } from '../../database/look-up.ts';
import { type BoundStatement, statements } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { columnName } from '../../resources/define.ts';
import { RESOURCES } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import { SEARCH_HITS_MAX } from '../limits.ts';
import type { SearchHit, SearchHits } from './wire.ts';

/** What is searched: a table, and its texts. The first text is the title. */
interface Searched {
  readonly resource: string;
  readonly table: string;
  readonly texts: readonly string[];
}

const SEARCHED: readonly Searched[] = [
  ...RESOURCES.filter(({ writable }) => writable).map(({ name, searched = [] }) => ({
    resource: name,
    table: name,
    texts: searched.map(columnName),
  })),
  { resource: 'api-keys', table: 'api_keys', texts: ['name', 'hint'] },
];

/** The search of a workspace for its members, over the records of all resources and the API keys. */
export function registerSearch(
  api: FastifyInstance,
  { pool, sessions }: Pick<DashboardContext, 'pool' | 'sessions'>,
): void {
  api.get<{ Querystring: Record<string, unknown> }>(
    '/workspaces/:workspaceId/search',
    async (request, reply): Promise<SearchHits> => {
      const { workspaceId } = await sessions.member(request, reply);
      allowParameters(request.query, ['q']);
      const text = textOf(request.query['q']);
      const found = await Promise.all(SEARCHED.map((searched) => search(pool, workspaceId, searched, text)));
      const data = found.flatMap(({ hits }) => hits);
      return {
        data: PLACES.flatMap((match) => data.filter((hit) => hit.match === match)),
        partial: found.some(({ partial }) => partial),
      };
    },
  );
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  if (text !== '' && text.length <= SEARCH_MAX_CHARACTERS && !text.includes('\0')) return text;
  throw new ApiError(
    'invalid_parameter',
    `"q" must be text of 1 to ${SEARCH_MAX_CHARACTERS} characters, without U+0000.`,
  );
}

/** How a record was found, the best first. The statement numbers them. */
const PLACES = ['id', 'start', 'part'] as const satisfies readonly SearchHit['match'][];

const family = statements('search_records', 'bulk');
const selects = new Map<string, BoundStatement>();

/**
 * The record with this id, then titles that start with the text, then other texts that contain it: the newest first. The
 * texts are those of the newest records, of which an index gives a bounded number.
 */
function selectHits({ table, texts }: Searched): BoundStatement {
  let select = selects.get(table);
  if (select === undefined) {
    const [title = 'id'] = texts;
    const meets = [...texts, 'id'].map((column) => `${column} ilike $4`).join(' or ');
    const newest =
      texts.length === 0
        ? 'select id, id as title, 3 as place, 0 as number, false as meets from (select null::text as id) none where $3 = $4'
        : `select *, row_number() over () as number from (
      select id, ${title} as title, case when starts_with(lower(${title}), lower($3)) then 2 else 3 end as place,
        coalesce(${meets}, false) as meets
      from ${table} where workspace_id = $1 order by created_at desc, id desc limit $5) ordered`;
    select = family(
      `search_records_${table}`,
      `with newest as materialized (${newest}), found as (
    (select id, title, 1 as place, 0 as number from (${lookUp({ select: `id, ${title} as title`, from: table })}) one)
    union all
    (select id, title, place, number from newest where meets and id <> $2)
    order by place, number limit $6)
  select coalesce(json_agg(found order by place, number), '[]') as hits, (select count(*) >= $5 from newest) as stopped from found`,
    );
    selects.set(table, select);
  }
  return select;
}

interface Found {
  readonly hits: readonly { readonly id: string; readonly title: string; readonly place: number }[];
  readonly stopped: boolean;
}

async function search(
  pool: Connections,
  workspaceId: string,
  searched: Searched,
  text: string,
): Promise<{ readonly hits: readonly SearchHit[]; readonly partial: boolean }> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const select = selectHits(searched);
  const { rows } = await pool.query<Found>(
    select(workspaceId, isId(text) ? text : '', text, pattern, SEARCHED_ROWS_MAX, SEARCH_HITS_MAX),
  );
  const [{ hits, stopped } = { hits: [], stopped: false }] = rows;
  return {
    hits: hits.map(({ id, title, place }) => ({
      resource: searched.resource,
      id,
      title,
      match: PLACES[place - 1] ?? 'part',
    })),
    partial: stopped && hits.length < SEARCH_HITS_MAX,
  };
}
