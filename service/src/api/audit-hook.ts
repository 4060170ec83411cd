import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outcome, QuotaState } from '../audit-log/append-requests.ts';
import type { AuditWriter } from '../audit-log/audit-writer.ts';
import type { Clock } from '../config/clock.ts';
import { ApiError, type ErrorCode, errorEnvelope, unavailable } from '../http/errors.ts';
import type { Authenticator } from '../keys/authenticate.ts';
import { quotaItem, type RateLimitItem, rateLimitHeaders } from '../quota/headers.ts';
import { BURST_WINDOW_MS, invalidKey } from './authentication.ts';
import { parseBearer } from './bearer.ts';
import { requestRecord } from './request-record.ts';

const RATE_LIMITED = 429;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the transaction of a write has recorded the request already. */
    recorded: Outcome | null;
  }
}

export interface AuditOptions {
  readonly trail: AuditWriter;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  /** Workspaces whose quota was found used up; they are asked for again before a request is refused. */
  readonly exhausted: Set<string>;
}

/**
 * The last step before an answer leaves: its audit entry becomes durable (specification, section 6). Returns the
 * payload to send: the answer, or the refusal that takes its place when the key was revoked meanwhile, the quota is
 * used up, or the entry cannot be written.
 */
export async function auditAnswer<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: T,
  options: AuditOptions,
): Promise<T | string> {
  const { key } = request;
  if (key === null) return payload;
  const burst = burstItem(request);
  try {
    const record = (counted: boolean): Promise<Outcome> =>
      options.trail.record(requestRecord(request, reply, key, { status: reply.statusCode, counted }));
    const outcome = request.recorded ?? (await record(reply.statusCode !== RATE_LIMITED));
    if (outcome.result === 'recorded') {
      // The next request asks for the quota before it does any work.
      if (isUsedUp(outcome.quota)) options.exhausted.add(key.workspaceId);
      reply.headers({ ...rateLimitHeaders([...quotaItems(request, outcome.quota, options), ...burst]) });
      return payload;
    }
    if (outcome.result === 'invalid_key') {
      const bearer = parseBearer(request.headers.authorization);
      if (bearer.kind === 'token') options.authenticator.forget(bearer.token);
      return replaceAnswer(reply, invalidKey(true));
    }
    options.exhausted.add(key.workspaceId);
    const refusal = replaceAnswer(reply, quotaExceeded(outcome.quota, options.clock()));
    reply.headers({ ...rateLimitHeaders([...quotaItems(request, outcome.quota, options), ...burst]) });
    await record(false);
    return refusal;
  } catch (error) {
    request.log.error({ err: error }, 'the audit entry could not be written; the request is refused');
    return replaceAnswer(reply, unavailable());
  }
}

export function quotaExceeded(quota: QuotaState, nowMs: number): ApiError {
  return new ApiError(
    'quota_exceeded',
    `The workspace's live quota of ${quota.limit} requests this month is used up.`,
    {
      'retry-after': String(quotaItem(quota, nowMs).resetSeconds),
    },
  );
}

const isUsedUp = (quota: QuotaState | null): boolean => quota !== null && quota.used >= quota.limit;

/** What is left of the workspace's quota tells of everybody's traffic: not for a key that is limited to one company. */
const quotaItems = (
  { key }: FastifyRequest,
  quota: QuotaState | null,
  { clock }: AuditOptions,
): readonly RateLimitItem[] =>
  quota === null || key === null || key.companyId !== null ? [] : [quotaItem(quota, clock())];

function burstItem({ key, burst }: FastifyRequest): readonly RateLimitItem[] {
  if (key === null || key.burstLimit === null || burst === null) return [];
  const windowSeconds = BURST_WINDOW_MS / 1000;
  return [
    {
      name: 'burst',
      limit: key.burstLimit,
      windowSeconds,
      remaining: burst.remaining,
      resetSeconds: Math.ceil(burst.resetMs / 1000),
    },
  ];
}

/** All other headers say something of the answer that is replaced. */
const OF_EVERY_ANSWER: ReadonlySet<string> = new Set(['request-id', 'x-content-type-options', 'connection']);

function replaceAnswer(reply: FastifyReply, failure: { readonly code: ErrorCode } & ApiError): string {
  for (const name of Object.keys(reply.getHeaders()))
    if (!OF_EVERY_ANSWER.has(name)) reply.removeHeader(name);
  const body = errorEnvelope(failure.code, failure.message);
  reply
    .code(failure.status)
    .headers({ ...failure.headers })
    .type('application/json; charset=utf-8');
  return body;
}
