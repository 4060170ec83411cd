import { timeOfMicros } from '@svc/exact-times/micros';
import { retryPauseMs, type SendResult, signatureHeaders, type WebhookRequest } from '@svc/webhook-sender';
import type { ChangesAfter } from '../changes/after.ts';
import type { Attempted, Delivery } from './deliveries.ts';
import type { Endpoint } from './endpoints.ts';
import { TEST_EVENT_TYPE } from './test-event.ts';

const GONE = 410;

/** What came of sending a delivery once. */
export interface SentDelivery extends Attempted {
  /** The receiver says that it is gone for good. */
  readonly gone: boolean;
}

interface AttemptOptions {
  readonly endpoint: Pick<Endpoint, 'url' | 'secrets' | 'ordered'>;
  /** Requests of different owners share no connection. */
  readonly owner: string;
  readonly send: (request: WebhookRequest) => Promise<SendResult>;
  readonly nowMs: number;
  /** From 0 to 1. */
  readonly random: number;
  readonly signal: AbortSignal;
}

/** The body of the webhook for an item of `GET /v1/changes`. The same item gives the same bytes. */
export const bodyOf = ({ type, at, json }: ChangesAfter['items'][number]): Buffer =>
  Buffer.from(`{"type":${JSON.stringify(type)},"timestamp":"${timeOfMicros(at)}","data":${json}}`);

/**
 * Sends a delivery once. Returns what came of it, and whether the receiver is gone. Rejects with the reason of the signal.
 */
export async function attempt(
  delivery: Delivery,
  { endpoint, owner, send, nowMs, random, signal }: AttemptOptions,
): Promise<SentDelivery> {
  const { eventId: id, body } = delivery;
  const { url, secrets, ordered } = endpoint;
  const result: SendResult =
    secrets.length === 0
      ? UNSIGNED
      : await send({
          url,
          headers: {
            'content-type': 'application/json',
            'user-agent': 'svc-webhooks/1',
            ...signatureHeaders({ id, body, nowMs }, secrets),
          },
          body,
          owner,
          signal,
        });
  const responded = result.kind === 'response' ? result : undefined;
  const { status } = responded ?? {};
  const isDelivered = status !== undefined && status >= 200 && status < 300;
  // A person waits for the result of a test event, so it is sent once and holds back nothing.
  const isTest = delivery.type === TEST_EVENT_TYPE;
  const pauseMs =
    isDelivered || isTest
      ? undefined
      : retryPauseMs(delivery.attempts + 1, random, responded?.retryAfterSeconds);
  // An ordered endpoint is disabled instead, and continues with this delivery.
  const isExhausted = !isDelivered && pauseMs === undefined && (isTest || !ordered);
  return {
    delivery,
    state: isDelivered ? 'delivered' : isExhausted ? 'failed' : 'pending',
    pauseMs: isDelivered || isExhausted ? undefined : (pauseMs ?? 0),
    status,
    response: responded?.body,
    failure: result.kind === 'failure' ? result.message : undefined,
    durationMs: result.durationMs,
    gone: status === GONE,
  };
}

const UNSIGNED: SendResult = {
  kind: 'failure',
  reason: 'invalid_url',
  message: 'The secret of the endpoint cannot be opened: the service has another SVC_SECRET.',
  durationMs: 0,
};
