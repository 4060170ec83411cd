import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditWriter } from '../audit-log/audit-writer.ts';
import type { AuditedRequest, Outcome, QuotaState, Recorded } from '../audit-log/audited-request.ts';
import type { NewEntry } from '../audit-log/entry.ts';
import type { UsageCounter } from '../audit-log/usage/usage-counter.ts';
import type { Clock } from '../config/time.ts';
import { isUnavailable } from '../database/errors.ts';
import { type ApiError, errorEnvelope, unavailable } from '../http/errors.ts';
import { refusalOf } from '../http/failures.ts';
import { JSON_UTF8 } from '../http/json-type.ts';
import { originOf, withoutToken } from '../http/request.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { invalidKey } from './authentication.ts';
import { type QuotaGate, rateLimitHeaders } from './limits.ts';

const FIRST_ERROR_STATUS = 400;
const RATE_LIMITED = 429;

export interface AuditOptions {
  readonly auditWriter: AuditWriter;
  readonly usage: UsageCounter;
  readonly quotaGate: QuotaGate;
  readonly clock: Clock;
}

/** The body of a write. Its audit entry is already committed, in the transaction of the write. */
class AuditedBody {
  readonly body: string;
  readonly outcome: Recorded;
  constructor(body: string, outcome: Recorded) {
    this.body = body;
    this.outcome = outcome;
  }
}

/** The body of a write whose transaction may have been committed, with its audit entry. */
class UnknownOutcome {}

// The body passes the serializer as it is, so that it reaches auditResponse.
const sendAsIs = (reply: FastifyReply, body: AuditedBody | UnknownOutcome): FastifyReply =>
  reply.serializer((same: typeof body) => same as never).send(body);

/** Sends a response whose audit entry is committed. */
export const sendAudited = (reply: FastifyReply, body: string, outcome: Recorded): FastifyReply =>
  sendAsIs(reply, new AuditedBody(body, outcome));

/** Sends 503, without a second audit entry: it is not known whether the write is committed with its own. */
export const sendUnknownOutcome = (reply: FastifyReply): FastifyReply =>
  sendAsIs(reply, new UnknownOutcome());

/**
 * The onSend hook of /v1: the audit entry of a response is durable before the response is sent (specification,
 * section 6). Returns the payload to send. If the key was revoked meanwhile, the quota is used up, or the entry cannot be
 * written, this is the body of a refusal.
 */
export async function auditResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  { auditWriter, usage, quotaGate, clock }: AuditOptions,
): Promise<unknown> {
  const { caller } = request;
  if (caller === null || caller.isMember) return payload;
  const { key } = caller;
  const append = async (counted: boolean): Promise<Outcome> => {
    const audited = auditedRequest(request, reply, key, { status: reply.statusCode, counted });
    const outcome = await auditWriter.append(audited);
    if (key.mode === 'test' && outcome.result === 'recorded') usage.addTest(audited);
    return outcome;
  };
  // A client that may not use the key learns nothing of the workspace.
  const addLimitHeaders = (quota: QuotaState | null): unknown =>
    reply.headers({ ...rateLimitHeaders(caller, caller.addressAllowed ? quota : null, clock()) });
  try {
    if (payload instanceof UnknownOutcome) return replaceResponse(reply, unavailable());
    const outcome: Outcome =
      payload instanceof AuditedBody
        ? payload.outcome
        : await append(reply.statusCode !== RATE_LIMITED && caller.addressAllowed);
    if (outcome.result === 'recorded') {
      if (outcome.isStale) caller.readAgain();
      // If the quota is used up, the gate checks the next request before any work is done for it.
      quotaGate.note(key.workspaceId, outcome.quota);
      addLimitHeaders(outcome.quota);
      return payload instanceof AuditedBody ? payload.body || null : payload;
    }
    if (outcome.result === 'invalid_key') {
      caller.forget();
      return replaceResponse(reply, invalidKey(true));
    }
    const refusal = replaceResponse(reply, quotaGate.exceeded(key.workspaceId, outcome.quota));
    addLimitHeaders(outcome.quota);
    await append(false);
    return refusal;
  } catch (error) {
    const level = isUnavailable(error) ? 'warn' : 'error';
    request.log[level]({ err: error }, 'the audit entry could not be written; the request is refused');
    return replaceResponse(reply, unavailable(), error);
  } finally {
    if (key.mode === 'live') usage.addEntry(key.workspaceId);
  }
}

/** The headers that every response has. All others describe the response that is replaced. */
const OF_EVERY_RESPONSE: ReadonlySet<string> = new Set([
  'request-id',
  'x-content-type-options',
  'connection',
  'vary',
]);

/** Replaces the status and the headers of a response, and returns its new body. */
function replaceResponse(reply: FastifyReply, failure: ApiError, cause: unknown = failure): string {
  reply.request.refusal = refusalOf(failure, cause);
  for (const name of Object.keys(reply.getHeaders()))
    if (!OF_EVERY_RESPONSE.has(name)) reply.removeHeader(name);
  reply
    .code(failure.status)
    .headers({ ...failure.headers })
    .type(JSON_UTF8);
  return errorEnvelope(failure.code, failure.message);
}

/** The parts of an audit entry that depend on the response. */
export interface Answered {
  readonly status: number;
  /** Whether the request uses live quota. A refusal because of a limit does not. */
  readonly counted: boolean;
  /** The records that a write has created, changed or deleted. */
  readonly recordIds?: readonly string[];
}

/** What the audit log records of a request. A request with a test key has no entry and uses no quota (section 6). */
export function auditedRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  answered: Answered,
): AuditedRequest {
  const live = key.mode === 'live';
  const durationMs = Math.round(reply.elapsedTime);
  return {
    workspaceId: key.workspaceId,
    keyId: key.keyId,
    tokenVersion: key.tokenVersion,
    validity: key.validity,
    entry: live ? requestEntry(request, key, answered, durationMs) : null,
    counted: live && answered.counted,
    failed: answered.status >= FIRST_ERROR_STATUS,
    durationMs: Math.max(0, durationMs - Math.round(request.waitedMs)),
    traceparent: request.span?.traceparent,
  };
}

function requestEntry(
  request: FastifyRequest,
  key: AuthenticatedKey,
  { status, recordIds }: Answered,
  durationMs: number,
): NewEntry {
  const [path = ''] = request.url.split('?', 1);
  return {
    kind: 'api.request',
    keyId: key.keyId,
    actor: null,
    method: request.method,
    path: withoutToken(path),
    status,
    durationMs,
    ...originOf(request),
    ...(recordIds === undefined ? {} : { recordIds }),
  };
}
