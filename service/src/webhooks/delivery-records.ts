import type { Queryable } from '@svc/turns/lane';
import { readChangesAfter } from '../changes/after.ts';
import { changeIdOf, timeOfChange } from '../changes/id.ts';
import { statement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import { bodyOf } from './attempt.ts';
import type { EndpointKey } from './leases.ts';
import { TEST_EVENT_TYPE, testBody } from './test-event.ts';
import type { WebhookDelivery } from './wire.ts';

/** A delivery with what was sent and what came back. */
export interface StoredDelivery {
  readonly item: WebhookDelivery;
  readonly response: string | null;
  /** The bytes, if they are stored: until the event is delivered. */
  readonly body: Buffer | null;
  readonly type: string;
  readonly createdAt: string;
}

// With these bounds and this order, only the index of the primary key fits (docs/decisions/0014).
const keyOf = (event: string): string => `workspace_id = $1 and (endpoint_id, ${event}) >= ($2, $3)
    and (endpoint_id, ${event}) <= ($2, $3) order by endpoint_id, ${event} limit 1`;
const selectDelivery = statement('read_delivery', 'request')`
  select r.doc::json as item, d.* from (
    select response, body, type, ${utc('created_at')} as "createdAt" from webhook_deliveries where ${keyOf('event_id')}
  ) d cross join (select doc from webhook_delivery_records where ${keyOf('id')}) r`;

/** Reads a delivery of an endpoint. Undefined: it has none of this event. */
export async function readDelivery(
  connections: Queryable,
  { workspaceId, id }: EndpointKey,
  eventId: string,
): Promise<StoredDelivery | undefined> {
  const { rows } = await connections.query<StoredDelivery>(selectDelivery(workspaceId, id, eventId));
  return rows[0];
}

/**
 * The exact bytes of the body of a delivery. They are stored until it is delivered. Then they are made of the feed again,
 * which gives the same bytes. Undefined: the feed no longer has the change.
 */
export async function readBody(
  connections: Queryable,
  { workspaceId, id }: EndpointKey,
  companyId: string | null,
  { item, body, type, createdAt }: StoredDelivery,
): Promise<Buffer | undefined> {
  if (body !== null) return body;
  if (type === TEST_EVENT_TYPE) return testBody({ id: item.id, endpointId: id, createdAt });
  const at = timeOfChange(workspaceId, item.id);
  if (at === undefined) return undefined;
  const after = changeIdOf(workspaceId, at - 1);
  // To an endpoint of one company, a change that moves a record away from it was a deletion.
  for (const company of companyId === null ? [undefined] : [companyId, undefined]) {
    const read = await readChangesAfter(connections, workspaceId, { after, limit: 1, companyId: company });
    const found = read === 'expired' ? undefined : read.items[0];
    if (found?.id === item.id && found.type === type) return bodyOf(found);
  }
  return undefined;
}
