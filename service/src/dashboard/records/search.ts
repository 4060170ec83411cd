import { isId, SEARCH_MAX_CHARACTERS } from '@svc/sdk/contract';
import type { Connections } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { lookUp } from '../../database/look-up.ts';
import { type BoundStatement, statements } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { SearchedTexts } from '../../list/definition.ts';
import { foundByWords, isTooCommon, searchCondition } from '../../list/word-search.ts';
import { columnName } from '../../resources/define.ts';
import { RECORD_RESOURCES } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import { SEARCH_HITS_MAX, SEARCH_NEWEST_MAX } from '../limits.ts';
import type { SearchHit, SearchHits } from './wire.ts';

/** What is searched: a table, and its texts. The first text is the title, the second one an address or nothing. */
interface Searched {
  readonly resource: string;
  readonly table: string;
  readonly texts: readonly string[];
  /** Undefined: there is no index of its words. */
  readonly words: SearchedTexts | undefined;
}

const TABLES = RECORD_RESOURCES.map(({ name, searched = [], list }) => ({
  resource: name,
  table: name,
  texts: searched.map(columnName),
  words: list.searched,
}));
const isCompanies = ({ table }: Searched): boolean => table === 'companies';

/** In the order of equally good hits. Companies come first, because titles often have the name of a company. */
const SEARCHED: readonly Searched[] = [
  ...TABLES.filter(isCompanies),
  ...TABLES.filter((each) => !isCompanies(each)),
  { resource: 'api-keys', table: 'api_keys', texts: ['name', 'hint'], words: undefined },
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
        data: RANKS.flatMap((match) => data.filter((hit) => hit.match === match)),
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
const RANKS = ['id', 'exact', 'start', 'word', 'part'] as const satisfies readonly SearchHit['match'][];

const family = statements('search_records', 'bulk');

/** Companies whose name starts with the text, in their order, so the shortest first. An index has it. */
const COMPANIES_BY_NAME = `select * from (
        select * from companies where workspace_id = $1 and lower(name) collate "C" >= lower($3)
        order by lower(name) collate "C", id limit $6) following
      where starts_with(lower(name), lower($3))`;

/**
 * The record with this id; then those whose title or URL is the text, whose title starts with it, or whose words begin with
 * its words, which an index finds among all records unless the words are too common; then, if these are too few, others of
 * the newest records that contain the text, of which an index gives a bounded number. The newest first.
 */
function selectHits({ table, texts, words }: Searched): BoundStatement {
  const [title = 'id', detail = 'null'] = texts;
  const shown = `id, created_at, ${title} as title, ${detail} as detail`;
  const equals = texts.map((column) => `lower(${column}) = (select lower($3))`).join(' or ');
  const starts = `starts_with(lower(${title}), (select lower($3)))`;
  const isPart = [...texts, 'id'].map((column) => `${column} ilike $4`).join(' or ');
  const ranked = (from: string): string =>
    `(select ${shown}, case when ${equals} then 2 when ${starts} then 3 else 4 end as rank from ${from})`;
  // Otherwise the index has found all that have the words.
  const isCommon = words === undefined ? 'true' : isTooCommon('by_words');
  const few = words === undefined ? '' : 'and (select count(*) from by_words) < $6';
  const first = (rank: number, from: string, condition: string): string =>
    `(select ${shown}, ${rank} as rank from ${from} where ${condition} order by created_at desc, id desc limit $6)`;
  const found = [`(${lookUp({ select: `${shown}, 1 as rank`, from: table })})`];
  if (table === 'companies') found.push(ranked(`(${COMPANIES_BY_NAME}) by_name`));
  if (texts.length > 0)
    found.push(first(2, 'parts', equals), first(3, 'parts', starts), first(5, 'parts', 'true'));
  if (words !== undefined) {
    found.push(ranked('by_words where workspace_id = $1'));
    found.push(first(4, 'newest', `${isCommon} and ${searchCondition(words, '$3::text')}`));
  }
  const newest =
    texts.length === 0
      ? 'select null::text as id where $3 = $4'
      : `select ${['id', 'created_at', ...texts].join(', ')} from ${table} where workspace_id = $1 ${few}
    order by created_at desc, id desc limit $5`;
  // PostgreSQL 17 and newer compare the words of `newest` only until ten rows have them. 15 and 16 compare all.
  return family(
    `search_records_${table}`,
    `with ${words === undefined ? '' : `${foundByWords(table, '$3', 'by_words')}, `}newest as materialized (${newest}),
    parts as materialized (select * from newest where ${isPart}), found as (
    select * from (select distinct on (id) * from (${found.join(' union all ')}) every order by id, rank) each
    order by rank, created_at desc, id desc limit $6)
  select coalesce(json_agg(found order by rank, created_at desc, id desc), '[]') as hits,
    count(*) < $6 and ${isCommon} and (select count(*) >= $5 from newest) as partial from found`,
  );
}

/** The pattern of LIKE for all texts that contain this one. */
export const likeContaining = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

interface Found {
  readonly hits: readonly (Pick<SearchHit, 'id' | 'title' | 'detail'> & { readonly rank: number })[];
  readonly partial: boolean;
}

async function search(
  pool: Connections,
  workspaceId: string,
  searched: Searched,
  text: string,
): Promise<{ readonly hits: readonly SearchHit[]; readonly partial: boolean }> {
  const pattern = likeContaining(text);
  const select = selectHits(searched);
  const { rows } = await pool.query<Found>(
    select(workspaceId, isId(text) ? text : '', text, pattern, SEARCH_NEWEST_MAX, SEARCH_HITS_MAX),
  );
  const [{ hits, partial } = { hits: [], partial: false }] = rows;
  return {
    hits: hits.map(({ rank, id, title, detail }) => ({
      resource: searched.resource,
      id,
      title,
      detail,
      match: RANKS[rank - 1] ?? 'part',
    })),
    partial,
  };
}
