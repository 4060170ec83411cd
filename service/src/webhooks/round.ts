import type { SecretSealer } from '@svc/deployment-secrets/sealed';
import type { Queryable } from '@svc/turns/lane';
import { ATTEMPTS_MAX, type SendResult, type WebhookRequest } from '@svc/webhook-sender';
import { type ChangesAfter, readChangesAfter } from '../changes/after.ts';
import { attempt, bodyOf, type SentDelivery } from './attempt.ts';
import {
  type Attempted,
  countPending,
  type Delivery,
  type DisabledReason,
  readPending,
  recordRound,
} from './deliveries.ts';
import { type Endpoint, readEndpoint } from './endpoints.ts';
import type { EndpointKey } from './leases.ts';
import { beginReplay } from './replay.ts';

/** What a round needs of its engine. */
export interface RoundOptions {
  readonly connections: Queryable;
  readonly sealer: SecretSealer;
  readonly send: (request: WebhookRequest) => Promise<SendResult>;
  /** Names the process that has the lease. */
  readonly owner: string;
  readonly key: EndpointKey;
  /** Whether the process may still deliver. */
  readonly isHeld: () => boolean;
  /** No delivery begins after this. Those that have begun end when `cut` is aborted. */
  readonly ending: AbortSignal;
  readonly cut: AbortSignal;
  readonly now: () => number;
  readonly random: () => number;
}

/** What the rounds of an endpoint remember. */
export interface RoundState {
  /** How many deliveries run at the same time. It grows while they succeed. */
  concurrency: number;
  /** Changes up to here are left out by the settings of that time, which is not recorded yet. Undefined: everything is. */
  passed: { readonly position: string; readonly updatedAt: string } | undefined;
  /** When the position was recorded, in milliseconds of `performance.now()`. */
  recordedAtMs: number;
}

/** The state of an endpoint before its first round. */
export const newRoundState = (): RoundState => ({
  concurrency: 1,
  passed: undefined,
  recordedAtMs: performance.now(),
});

/** What to do after a round. `pause`: first pause. `wait`: until a change, at most `ms`; undefined: nothing waits. */
export type RoundEnd =
  | { readonly kind: 'again' | 'pause' }
  | { readonly kind: 'wait'; readonly ms: number | undefined }
  | { readonly kind: 'ended'; readonly disabled: DisabledReason | undefined };

const CONCURRENCY_MAX = 16;
/** The most changes that a round reads. */
const CHANGES_MAX = 100;
/** The most deliveries that are sent again in a round. */
const AGAIN_MAX = CONCURRENCY_MAX;
/** The most deliveries of an endpoint that wait to be sent again. Then the endpoint gets no further change. */
export const PENDING_MAX = 1000;
/** How often a position is recorded while the endpoint gets none of the changes. */
const PASSED_MS = 60_000;
/** No delivery of a round begins later, so that what was done is recorded soon. */
const ROUND_MS = 1000;

/** Delivers the next changes to an endpoint, and what is to be sent again, and records what came of it. */
export async function runRound(options: RoundOptions, state: RoundState): Promise<RoundEnd> {
  const { connections, sealer, owner, key } = options;
  const endpoint = await readEndpoint(connections, sealer, key.workspaceId, key.id);
  if (endpoint === undefined || !endpoint.enabled) return { kind: 'ended', disabled: undefined };
  const { companyId, types, ordered, replayFrom, updatedAt } = endpoint;
  if (replayFrom !== null) {
    if (!(await beginReplay(connections, owner, key, replayFrom)))
      return { kind: 'ended', disabled: undefined };
    state.passed = undefined;
  }
  const pending = await readPending(connections, key, { ordered, limit: AGAIN_MAX + 1 });
  const waiting = pending.findIndex(({ waitMs }) => waitMs > 0);
  const next = pending[waiting];
  const due = ordered
    ? pending.slice(0, waiting === -1 ? AGAIN_MAX : Math.min(waiting, AGAIN_MAX))
    : pending.slice(0, AGAIN_MAX).filter(({ waitMs }) => waitMs <= 0);
  if (ordered && due.length === 0 && next !== undefined) return { kind: 'wait', ms: next.waitMs };
  const isFull = ordered
    ? pending.length > due.length
    : pending.length > AGAIN_MAX && (await countPending(connections, key, PENDING_MAX)) === PENDING_MAX;
  const recordedPosition = replayFrom ?? endpoint.position;
  const position = state.passed?.updatedAt === updatedAt ? state.passed.position : recordedPosition;
  const changes = isFull
    ? { items: [], position, more: false }
    : await readChangesAfter(connections, key.workspaceId, {
        after: position,
        limit: CHANGES_MAX,
        companyId: companyId ?? undefined,
        types: types ?? undefined,
      });
  if (changes === 'expired') return disableExpired(options, recordedPosition, endpoint);
  const fresh = changes.items.map(
    (item): Delivery => ({ eventId: item.id, type: item.type, body: bodyOf(item), attempts: 0 }),
  );
  const attempted = await deliver(
    [...due.map(({ delivery }) => delivery), ...fresh],
    endpoint,
    options,
    state,
  );
  const reached = positionAfter(position, changes, attempted.length - due.length);
  if (attempted.length === 0 && performance.now() < state.recordedAtMs + PASSED_MS) {
    state.passed = { position: reached, updatedAt };
  } else if (attempted.length > 0 || reached !== recordedPosition) {
    const result = { attempted, position: reached, disable: disabling(endpoint, attempted), endpoint };
    const recorded = await recordRound(connections, owner, key, result);
    if (recorded === 'lost') return afterLoss(options, endpoint);
    if (recorded !== undefined) return { kind: 'ended', disabled: recorded };
    state.passed = undefined;
    state.recordedAtMs = performance.now();
  }
  if (due.length + fresh.length === 0 && changes.more) return { kind: 'pause' };
  const isInterrupted = attempted.length < due.length + fresh.length;
  const hasMore = changes.more || (due.length === AGAIN_MAX && pending.length > AGAIN_MAX);
  if (isInterrupted || hasMore || attempted.some(isPending)) return { kind: 'again' };
  return { kind: 'wait', ms: next?.waitMs };
}

/** Nobody can say which changes are missing, so the endpoint does not go on by itself. */
async function disableExpired(options: RoundOptions, position: string, began: Endpoint): Promise<RoundEnd> {
  const result = { attempted: [], position, disable: 'expired', endpoint: began } as const;
  const recorded = await recordRound(options.connections, options.owner, options.key, result);
  return recorded === 'lost' ? afterLoss(options, began) : { kind: 'ended', disabled: recorded };
}

/** If a person has changed the endpoint during the round, another round sends the changes with the new settings. */
async function afterLoss({ connections, sealer, key }: RoundOptions, began: Endpoint): Promise<RoundEnd> {
  const endpoint = await readEndpoint(connections, sealer, key.workspaceId, key.id);
  const isChanged = endpoint?.enabled === true && endpoint.updatedAt !== began.updatedAt;
  return isChanged ? { kind: 'again' } : { kind: 'ended', disabled: undefined };
}

const isPending = ({ state }: Attempted): boolean => state === 'pending';

/** The last change that is accounted for, when so many of the changes were sent. */
function positionAfter(before: string, { items, position }: ChangesAfter, sent: number): string {
  if (sent >= items.length) return position;
  return items[sent - 1]?.id ?? before;
}

function disabling({ ordered }: Endpoint, attempted: readonly SentDelivery[]): DisabledReason | undefined {
  if (attempted.some(({ gone }) => gone)) return 'gone';
  const isExhausted = attempted.some(
    ({ state, delivery }) => state === 'pending' && delivery.attempts + 1 >= ATTEMPTS_MAX,
  );
  return ordered && isExhausted ? 'exhausted' : undefined;
}

/**
 * Sends deliveries in their order, and returns those that were sent, a beginning of the list. To an ordered endpoint one by
 * one, up to the first that fails. A delivery that was cut counts as not sent.
 */
async function deliver(
  deliveries: readonly Delivery[],
  endpoint: Endpoint,
  { key, send, isHeld, ending, cut, now, random }: RoundOptions,
  state: RoundState,
): Promise<readonly SentDelivery[]> {
  const until = performance.now() + ROUND_MS;
  const results: SentDelivery[] = [];
  const running = new Set<Promise<void>>();
  let stopped = false;
  let failure: unknown;
  const owner = `${key.workspaceId} ${key.id}`;
  const start = async (delivery: Delivery, place: number): Promise<void> => {
    try {
      const own = { endpoint, owner, send, nowMs: now(), random: random(), signal: cut };
      const result = await attempt(delivery, own);
      results[place] = result;
      const isDelivered = result.state === 'delivered';
      state.concurrency = isDelivered ? Math.min(state.concurrency * 2, CONCURRENCY_MAX) : 1;
      if (result.gone || (endpoint.ordered && result.state === 'pending')) stopped = true;
    } catch (error) {
      stopped = true;
      failure = error;
    }
  };
  let started = 0;
  for (const delivery of deliveries) {
    while (running.size >= (endpoint.ordered ? 1 : state.concurrency)) await Promise.race(running);
    if (stopped || ending.aborted || !isHeld() || performance.now() > until) break;
    const one = start(delivery, started++).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  if (failure !== undefined && !cut.aborted) throw failure;
  const missing = results.findIndex((_, place) => !(place in results));
  return missing === -1 ? results : results.slice(0, missing);
}
