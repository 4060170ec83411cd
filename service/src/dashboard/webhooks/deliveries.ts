import { canonicalTime, TIME_ALLOWED } from '@svc/exact-times/canonical-time';
import { type Micros, microsOfTime, timeOfMicros } from '@svc/exact-times/micros';
import { isId } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { allowParameters } from '../../api/guards.ts';
import { readPage } from '../../api/reads.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import { positionBefore } from '../../changes/after.ts';
import { newId } from '../../config/ids.ts';
import { ApiError } from '../../http/errors.ts';
import { JSON_UTF8 } from '../../http/json-type.ts';
import { readBody, readDelivery } from '../../webhooks/delivery-records.ts';
import type { LockedEndpoint } from '../../webhooks/manage.ts';
import {
  addTestDelivery,
  isWanted,
  PENDING_TESTS_MAX,
  replayAllFailed,
  replayFrom,
  replayOne,
} from '../../webhooks/replay.ts';
import { testBody } from '../../webhooks/test-event.ts';
import type { OneDelivery, Replayed, ReplayedDelivery, SentTest } from '../../webhooks/wire.ts';
import type { DashboardContext } from '../context.ts';
import { defineBody, emptyBody } from '../requests/body.ts';
import { DELIVERY_FILTERS, deliveryList } from './delivery-list.ts';
import {
  endpointIdOf,
  type OneEndpoint,
  requireEndpoint,
  targetOf,
  WEBHOOKS,
  withEndpoint,
} from './endpoint.ts';

const ENDPOINT = `${WEBHOOKS}/:endpointId`;
type Delivery = { Params: { endpointId: string; eventId: string } };
type List = OneEndpoint & { Querystring: Record<string, unknown> };

const whatToReplay = defineBody({
  failed: Type.Optional(Type.Literal(true, { allowed: 'true, without "since"' })),
  since: Type.Optional(Type.String({ maxLength: 64, allowed: `${TIME_ALLOWED}, without "failed"` })),
});

/** What was sent to an endpoint, what is sent again, and test events. */
export function registerDeliveries(api: FastifyInstance, context: DashboardContext): void {
  const { sessions, pool, reader, signals, clock } = context;

  api.get<List>(`${ENDPOINT}/deliveries`, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
    const endpoint = endpointIdOf(request);
    allowParameters(request.query, ['cursor', 'limit', 'direction', ...Object.keys(DELIVERY_FILTERS)]);
    await requireEndpoint(pool, workspaceId, endpoint);
    const query = { ...request.query, endpoint };
    const page = await readPage(reader, deliveryList, query, { workspaceId, companyId: null });
    return reply.type(JSON_UTF8).send(page.body());
  });

  api.get<Delivery>(`${ENDPOINT}/deliveries/:eventId`, async (request, reply): Promise<OneDelivery> => {
    const { workspaceId } = await sessions.member(request, reply, 'webhook.manage');
    const key = { workspaceId, id: endpointIdOf(request) };
    const { companyId } = await requireEndpoint(pool, workspaceId, key.id);
    const stored = await readDelivery(pool, key, eventIdOf(request));
    if (stored === undefined) throw noDelivery();
    const body = await readBody(pool, key, companyId, stored);
    return {
      delivery: { ...stored.item, request: body?.toString() ?? null, response: stored.response },
    };
  });

  api.post<Delivery>(`${ENDPOINT}/deliveries/:eventId/replay`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { workspaceId, by } = access;
    const eventId = eventIdOf(request);
    emptyBody(request.body);
    const key = { workspaceId, id: endpointIdOf(request) };
    const answer: ReplayedDelivery = await withEndpoint(pool, access, key.id, async (client, endpoint) => {
      const stored = await readDelivery(client, key, eventId);
      if (stored === undefined) throw noDelivery();
      const body = await readBody(client, key, endpoint.companyId, stored);
      if (body === undefined) throw new ApiError('conflict', 'The feed no longer has this event.');
      if (!isWanted(endpoint, stored.type, body))
        throw new ApiError('conflict', 'The types or the company of the endpoint leave this event out.');
      await replayOne(client, key, endpoint.position, { eventId, body });
      await appendEvent(client, workspaceId, by, {
        kind: 'webhook.replayed',
        target: targetOf(endpoint),
        details: { eventId, events: null, since: null },
      });
      return { delivery: (await readDelivery(client, key, eventId))?.item ?? stored.item };
    });
    signals.announce(workspaceId);
    return reply.code(202).send(answer);
  });

  api.post<OneEndpoint>(`${ENDPOINT}/replay`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { workspaceId, by } = access;
    const wanted = parseReplay(request.body);
    const key = { workspaceId, id: endpointIdOf(request) };
    const answer: Replayed = await withEndpoint(pool, access, key.id, async (client, endpoint) => {
      const replayed = wanted === 'failed' ? await replayAllFailed(client, workspaceId, endpoint) : null;
      if (wanted !== 'failed') await replaySince(client, workspaceId, endpoint, wanted);
      const since = wanted === 'failed' ? null : timeOfMicros(wanted);
      await appendEvent(client, workspaceId, by, {
        kind: 'webhook.replayed',
        target: targetOf(endpoint),
        details: { eventId: null, events: replayed, since },
      });
      return { replayed };
    });
    signals.announce(workspaceId);
    return reply.code(202).send(answer);
  });

  api.post<OneEndpoint>(`${ENDPOINT}/test`, async (request, reply) => {
    const access = await sessions.member(request, reply, 'webhook.manage');
    const { workspaceId, by } = access;
    emptyBody(request.body);
    const key = { workspaceId, id: endpointIdOf(request) };
    const answer: SentTest = await withEndpoint(pool, access, key.id, async (client, endpoint) => {
      if (!endpoint.enabled)
        throw new ApiError('conflict', 'The endpoint is disabled. Enable it to send a test event.');
      const eventId = newId('evt');
      const createdAt = timeOfMicros(Math.floor(clock() * 1000));
      const body = testBody({ id: eventId, endpointId: key.id, createdAt });
      if (!(await addTestDelivery(client, key, { eventId, createdAt, body })))
        throw new ApiError('conflict', `${PENDING_TESTS_MAX} test events wait to be sent. Try again later.`);
      await appendEvent(client, workspaceId, by, {
        kind: 'webhook.test_sent',
        target: targetOf(endpoint),
        details: { eventId },
      });
      return { eventId };
    });
    signals.announce(workspaceId);
    return reply.code(202).send(answer);
  });
}

function eventIdOf({ params: { eventId } }: { readonly params: { readonly eventId: string } }): string {
  if (!isId(eventId)) throw noDelivery();
  return eventId;
}

const noDelivery = (): ApiError =>
  new ApiError('not_found', 'The endpoint has no delivery of this event, or no longer.');

/** The time since which everything is sent again, or `failed`. */
function parseReplay(body: unknown): Micros | 'failed' {
  const { failed, since } = whatToReplay(body);
  if ((failed === undefined) === (since === undefined))
    throw new ApiError('invalid_body', 'The body must have either "failed" or "since".');
  if (since === undefined) return 'failed';
  const time = canonicalTime(since, 'microseconds');
  if (time === undefined) throw new ApiError('invalid_body', `"since" must be ${TIME_ALLOWED}.`);
  return microsOfTime(time);
}

/** Has everything since a time sent again, from the position of the endpoint at the latest if the feed still has it. */
async function replaySince(
  client: pg.ClientBase,
  workspaceId: string,
  { id, position }: LockedEndpoint,
  since: Micros,
): Promise<void> {
  const { before, completeAfter, readerExpired } = await positionBefore(client, workspaceId, since, position);
  if (before === undefined) {
    const first = timeOfMicros(completeAfter + 1);
    throw new ApiError(
      'position_expired',
      `The feed has the changes since ${first}. "since" must not be earlier.`,
    );
  }
  await replayFrom(client, { workspaceId, id }, before < position || readerExpired ? before : position);
}
