import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { statement } from '../database/statement.ts';
import type { EndpointKey } from './leases.ts';
import type { LockedEndpoint } from './manage.ts';
import { TEST_EVENT_TYPE } from './test-event.ts';

/**
 * Events that are sent again. Those after the position of an endpoint come from the feed anyway, in their order. A replay
 * does not change them, so that no event is sent from both the feed and the deliveries.
 */

const NOT_AFTER_POSITION = `(event_id <= $3 or type = '${TEST_EVENT_TYPE}')`;

const replayDelivery = statement('replay_delivery', 'request')`
  update webhook_deliveries set state = 'pending', next_attempt_at = now(), body = coalesce(body, $5), attempts = 0
  where workspace_id = $1 and endpoint_id = $2 and event_id = $4 and ${NOT_AFTER_POSITION}`;

/** Makes a delivery due, and gives it all attempts again. `body`: the bytes to send if none are stored. */
export async function replayOne(
  client: pg.ClientBase,
  { workspaceId, id }: EndpointKey,
  position: string,
  { eventId, body }: { readonly eventId: string; readonly body: Buffer },
): Promise<void> {
  await client.query(replayDelivery(workspaceId, id, position, eventId, body));
}

/** Whether the types and the company of an endpoint let it get an event. It gets every test event. */
export function isWanted({ types, companyId }: LockedEndpoint, type: string, body: Buffer): boolean {
  if (type === TEST_EVENT_TYPE) return true;
  const { data } = JSON.parse(body.toString()) as { readonly data: { readonly companyId: string | null } };
  return (types?.includes(type) ?? true) && (companyId === null || companyId === data.companyId);
}

// The same for a row that has its body. $4: the types, $5: the company.
const WANTED = `(type = '${TEST_EVENT_TYPE}' or (($4::text[] is null or type = any ($4))
  and ($5::text is null or convert_from(body, 'UTF8')::json -> 'data' ->> 'companyId' is not distinct from $5)))`;

const LEFT_OUT = 'The settings of the endpoint leave it out now.';
/** Deliveries that one statement changes, and failed ones that one request makes due. */
const CHUNK_DELIVERIES = 1_000;
const REPLAYED_MAX = 10_000;

const oldest = (state: string, condition: string): string => `
  workspace_id = $1 and endpoint_id = $2 and event_id = any (array(
    select event_id from webhook_deliveries
    where workspace_id = $1 and endpoint_id = $2 and state >= '${state}' and state <= '${state}' and ${condition}
    order by state, created_at, event_id limit ${CHUNK_DELIVERIES}
  ))`;
const replayFailed = statement('replay_failed_deliveries', 'bulk')`
  update webhook_deliveries set state = 'pending', next_attempt_at = now(), attempts = 0
  where ${oldest('failed', `${NOT_AFTER_POSITION} and ${WANTED}`)}`;
const failUnwanted = statement('fail_unwanted_deliveries', 'bulk')`
  update webhook_deliveries set state = 'failed', next_attempt_at = null, status = null, response = null, failure = $3
  where ${oldest('pending', `not ${WANTED}`)}`;

/** Makes failed deliveries due that the endpoint may still get, the oldest first, at most 10,000. Returns how many. */
export function replayAllFailed(client: pg.ClientBase, workspaceId: string, endpoint: LockedEndpoint) {
  const { id, position, types, companyId } = endpoint;
  return inChunks(client, replayFailed(workspaceId, id, position, types, companyId), REPLAYED_MAX);
}

/** Fails what waits but is left out by the types or the company of the endpoint. */
export function failLeftOut(client: pg.ClientBase, workspaceId: string, endpoint: LockedEndpoint) {
  const { id, types, companyId } = endpoint;
  return inChunks(client, failUnwanted(workspaceId, id, LEFT_OUT, types, companyId));
}

/** Runs a statement until it finds no more deliveries or has changed so many. Returns how many. */
async function inChunks(client: pg.ClientBase, change: pg.QueryConfig, most = Infinity): Promise<number> {
  let changed = 0;
  for (let last = CHUNK_DELIVERIES; last === CHUNK_DELIVERIES && changed < most; changed += last)
    last = (await client.query(change)).rowCount ?? 0;
  return changed;
}

// From the position itself only while a round can run, which may already have sent what is after it.
const setReplayFrom = statement('replay_endpoint_from', 'request')`
  update webhook_endpoints set replay_from = $3
  where workspace_id = $1 and id = $2 and ($3 <> position or lease_until > now())`;

/**
 * Sends everything after `position` again. The next round starts there, or at the first change that the feed still has. The
 * round that runs now ends as usual, so an ordered endpoint gets no event of it after one that is sent again.
 */
export async function replayFrom(
  client: pg.ClientBase,
  { workspaceId, id }: EndpointKey,
  position: string,
): Promise<void> {
  await client.query(setReplayFrom(workspaceId, id, position));
}

// What waits after the position comes from the feed again.
const moveBack = statement('begin_replay', 'bulk')`
  with moved as (
    update webhook_endpoints set position = replay_from, replay_from = null
    where workspace_id = $1 and id = $2 and lease_owner = $3 and lease_until > statement_timestamp() and enabled
      and replay_from = $4
    returning 1
  ), dropped as (
    delete from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 and state = 'pending' and event_id > $4
      and type <> '${TEST_EVENT_TYPE}' and exists (select from moved)
  )
  select count(*)::int as moved from moved`;

/** Moves the position of an endpoint back. Returns false without the lease, or if another replay is wanted by now. */
export async function beginReplay(
  connections: Queryable,
  owner: string,
  { workspaceId, id }: EndpointKey,
  position: string,
): Promise<boolean> {
  const { rows } = await connections.query<{ moved: number }>(moveBack(workspaceId, id, owner, position));
  return rows[0]?.moved === 1;
}

const countTests = statement('count_pending_tests', 'request')`
  select count(*)::int as tests from webhook_deliveries
  where workspace_id = $1 and endpoint_id = $2 and state = 'pending' and type = '${TEST_EVENT_TYPE}'`;
const insertTest = statement('insert_test_delivery', 'request')`
  insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, duration_ms, attempted_at,
    created_at, next_attempt_at, body)
  values ($1, $2, $3, '${TEST_EVENT_TYPE}', 'pending', 0, 0, now(), $4, now(), $5)`;

/** The most test events of an endpoint that wait to be sent. */
export const PENDING_TESTS_MAX = 10;

/** Adds a test event, which is sent at once. Returns false if too many wait. */
export async function addTestDelivery(
  client: pg.ClientBase,
  { workspaceId, id }: EndpointKey,
  event: { readonly eventId: string; readonly createdAt: string; readonly body: Buffer },
): Promise<boolean> {
  const { rows } = await client.query<{ tests: number }>(countTests(workspaceId, id));
  if ((rows[0]?.tests ?? 0) >= PENDING_TESTS_MAX) return false;
  await client.query(insertTest(workspaceId, id, event.eventId, event.createdAt, event.body));
  return true;
}
