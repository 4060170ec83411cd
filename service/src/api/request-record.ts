import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestRecord } from '../audit-log/append-requests.ts';
import type { NewEntry } from '../audit-log/entry.ts';
import { harmless, originOf } from '../http/request-origin.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';

const FIRST_ERROR_STATUS = 400;

/** How a request was answered, as its audit entry tells it. */
export interface Answered {
  readonly status: number;
  /** Whether it uses live quota; a refusal for lack of quota does not. */
  readonly counted: boolean;
  /** The records that a write made, changed or removed. */
  readonly recordIds?: readonly string[];
}

/** A request as the audit trail takes it. Test keys make no entry and use no quota (specification, section 6). */
export function requestRecord(
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  answered: Answered,
): RequestRecord {
  const live = key.mode === 'live';
  return {
    workspaceId: key.workspaceId,
    keyId: key.keyId,
    tokenVersion: key.tokenVersion,
    entry: live ? requestEntry(request, reply, key, answered) : null,
    counted: live && answered.counted,
    failed: answered.status >= FIRST_ERROR_STATUS,
    durationMs: Math.round(reply.elapsedTime),
  };
}

function requestEntry(
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  { status, recordIds }: Answered,
): NewEntry {
  const [path = ''] = request.url.split('?', 1);
  return {
    kind: 'api.request',
    keyId: key.keyId,
    actor: null,
    method: request.method,
    path: harmless(path),
    status,
    durationMs: Math.round(reply.elapsedTime),
    ...originOf(request),
    ...(recordIds === undefined ? {} : { recordIds }),
  };
}
