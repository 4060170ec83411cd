import type { ApiKey, ListEnvelope } from '@svc/sdk';
import { isId } from '@svc/sdk/contract';
import type { Connections } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { readPage } from '../../api/reads.ts';
import { SEARCHED_ROWS_MAX } from '../../config/limits.ts';
import { DAY_MS } from '../../config/time.ts';
import { lookUp } from '../../database/look-up.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { apiKeys } from '../../resources/index.ts';
import { API_KEY_RECORDS } from '../../resources/views.ts';
import type { DashboardContext } from '../context.ts';
import { KEY_NOTICES_MAX, LISTED_USAGE_DAYS, USAGE_DAYS_DEFAULT, USAGE_DAYS_MAX } from '../limits.ts';
import { readDetails } from './key-settings.ts';
import type { KeyDetails, KeyNotices, KeyUsage, ListedKey } from './key-wire.ts';

type Query = { Querystring: Record<string, unknown> };
export type OneKey = { Params: { keyId: string } };
export const KEYS = '/workspaces/:workspaceId/keys';

/** How long before its expiry date a key has a notice, and must have been used to have one afterwards. */
const NEAR_DAYS = 7;
/** How long after its expiry date a key that was in use has a notice. */
const AFTER_DAYS = 30;

/** What every member sees of the keys. No response holds a token. */
export function registerKeyReads(api: FastifyInstance, context: DashboardContext): void {
  const { sessions, pool, reader, usage } = context;
  api.get<Query>(KEYS, async (request, reply): Promise<ListEnvelope<ListedKey>> => {
    const { workspaceId } = await sessions.member(request, reply);
    await usage.catchUp(workspaceId);
    const read = await readPage(reader, apiKeys.list, request.query, { workspaceId, companyId: null });
    const page = JSON.parse(read.body()) as ListEnvelope<ApiKey>;
    return { ...page, data: await withDetails(pool, workspaceId, page.data) };
  });

  api.get<OneKey>(`${KEYS}/:keyId`, async (request, reply): Promise<KeyDetails> => {
    const { workspaceId } = await sessions.member(request, reply);
    await usage.catchUp(workspaceId);
    const details = await readDetails(pool, workspaceId, keyIdOf(request));
    if (details === undefined) throw noKey();
    return details;
  });

  // The usage of one key per day (UTC), the newest first. A key that never was used, or does not exist, has none.
  api.get<OneKey & Query>(`${KEYS}/:keyId/usage`, async (request, reply): Promise<KeyUsage> => {
    const { workspaceId } = await sessions.member(request, reply);
    const days = daysOf(request.query);
    const keyId = keyIdOf(request);
    await usage.catchUp(workspaceId);
    const { rows } = await pool.query<KeyUsage['data'][number]>(selectUsage(workspaceId, keyId, days));
    return { data: rows };
  });

  // Keys that expire soon, or have expired while they were in use.
  api.get<Query>('/workspaces/:workspaceId/key-notices', async (request, reply): Promise<KeyNotices> => {
    const { workspaceId } = await sessions.member(request, reply);
    allowParameters(request.query, []);
    await usage.catchUp(workspaceId);
    const { rows } = await pool.query<{ key: ApiKey; expired: boolean }>(selectNotices(workspaceId));
    const data = rows.filter(({ key, expired }) => !expired || wasInUse(key)).map(({ key }) => key);
    return { data };
  });
}

/** Whether a key was used shortly before its expiry date, or later. */
const wasInUse = ({ lastUsedAt, expiresAt }: ApiKey): boolean =>
  lastUsedAt !== null &&
  expiresAt !== null &&
  Date.parse(lastUsedAt) >= Date.parse(expiresAt) - NEAR_DAYS * DAY_MS;

const selectUsage = statement('usage_of_key', 'request')`
  select to_char(day, 'YYYY-MM-DD') as day, requests, errors from (
    select day, requests, errors from key_usage
    where workspace_id = $1 and key_id >= $2 and key_id <= $2 order by key_id desc, day desc limit $3
  ) newest where day > now()::date - $3::int order by day desc`;

// The usage of a key, not of some days: it reads no more for a workspace with many other keys.
const selectListed = statement('details_of_listed_keys', 'request')`
  select k.id, k.created_by as "createdBy", u.requests
  from unnest($2::text[]) as wanted (id)
  cross join lateral (${lookUp({ select: 'id, created_by', from: 'api_keys', key: 'wanted.id' })}) k
  cross join lateral (
    select coalesce(json_agg(json_build_object('day', to_char(day, 'YYYY-MM-DD'), 'requests', requests)), '[]') as requests
    from (
      select day, requests from key_usage
      where workspace_id = $1 and key_id >= wanted.id and key_id <= wanted.id
      order by key_id desc, day desc limit ${LISTED_USAGE_DAYS}
    ) newest where day > now()::date - ${LISTED_USAGE_DAYS}
  ) u`;

async function withDetails(
  pool: Connections,
  workspaceId: string,
  keys: readonly ApiKey[],
): Promise<readonly ListedKey[]> {
  type Details = Pick<ListedKey, 'id' | 'createdBy' | 'requests'>;
  const ids = keys.map(({ id }) => id);
  const { rows } = await pool.query<Details>(selectListed(workspaceId, ids));
  const details = new Map(rows.map((row) => [row.id, row]));
  // A key that is gone by now has none.
  return keys.map((key) => ({ ...key, ...(details.get(key.id) ?? { createdBy: null, requests: [] }) }));
}

/**
 * Among the newest keys, because no index of a workspace has the expiry date. Keys that have expired are counted separately,
 * so that many of them hide none that expires soon.
 */
const selectNotices = statement('keys_with_notices', 'request')`
  with near as (
    select id, expires_at,
      row_number() over (
        partition by expires_at <= now() order by abs(extract(epoch from expires_at - now())), id
      ) as place
    from (
      select id, expires_at, revoked_at, paused_at from api_keys where workspace_id = $1
      order by created_at desc, id desc limit ${SEARCHED_ROWS_MAX}
    ) newest
    where revoked_at is null and paused_at is null
      and expires_at > now() - interval '${AFTER_DAYS} days' and expires_at <= now() + interval '${NEAR_DAYS} days'
  )
  select r.doc::json as key, near.expires_at <= now() as expired from near
  cross join lateral (${lookUp({ select: 'doc', from: API_KEY_RECORDS, key: 'near.id' })}) r
  where near.place <= ${KEY_NOTICES_MAX} order by near.expires_at, near.id`;

/** The parameter `days` of a request for usage per day. It has no other. */
function daysOf(query: Readonly<Record<string, unknown>>): number {
  allowParameters(query, ['days']);
  const { days = String(USAGE_DAYS_DEFAULT) } = query;
  const number = typeof days === 'string' && /^[1-9]\d{0,2}$/.test(days) ? Number(days) : Number.NaN;
  if (number <= USAGE_DAYS_MAX) return number;
  throw new ApiError('invalid_parameter', `"days" must be an integer from 1 to ${USAGE_DAYS_MAX}.`);
}

/** The id of the key in the path. Throws `not_found` if it cannot be one. */
export function keyIdOf({ params: { keyId } }: { readonly params: { readonly keyId: string } }): string {
  if (!isId(keyId)) throw noKey();
  return keyId;
}

export const noKey = (): ApiError => new ApiError('not_found', 'There is no such API key.');
