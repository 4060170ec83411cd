import { atOnce, type Start } from '@svc/pipelined-postgres/at-once';
import { BATCH_BODY_MAX_BYTES } from '@svc/sdk/contract';
import { traced } from '@svc/telemetry/tracing';
import type { Shares } from '@svc/turns/lane';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { appendRequests, writeRequests } from '../audit-log/append-requests.ts';
import type { Outcome, Recorded } from '../audit-log/audited-request.ts';
import { writeChecked } from '../audit-log/write-checked.ts';
import { LOCK_TIMEOUT_MS } from '../config/limits.ts';
import type { IsDistributed } from '../database/citus/detect.ts';
import { UnknownOutcomeError } from '../database/errors.ts';
import { inTransaction } from '../database/pool.ts';
import { JSON_UTF8 } from '../http/json-type.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { patchBatch, removeBatch } from '../records/batch/change.ts';
import { runOperations } from '../records/batch/operations.ts';
import {
  type Answer,
  createBatch,
  createRecord,
  type RecordWrite,
  type StartedWrite,
} from '../records/create.ts';
import type { Conditions } from '../records/lock.ts';
import { patchRecord, removeRecord } from '../records/mutations.ts';
import { putRecord } from '../records/put.ts';
import type { Resource } from '../resources/define.ts';
import type { ChangeSignals } from '../signals/signals.ts';
import { auditedRequest, sendAudited, sendUnknownOutcome } from './audit-hook.ts';
import { invalidKey } from './authentication.ts';
import { requireWriteAccess } from './guards.ts';
import { claimIdempotencyKey, repeatableRequest, storeAnswer } from './idempotency.ts';
import type { QuotaGate } from './limits.ts';

export interface Writer {
  /** Connections by workspace. */
  readonly writes: Shares;
  readonly isDistributed: IsDistributed;
  readonly quotaGate: QuotaGate;
  readonly signals: Pick<ChangeSignals, 'announce'>;
}

interface Route {
  Querystring: Record<string, unknown>;
  Params: { id: string };
}
type Request = FastifyRequest<Route>;

type Prepare = (key: AuthenticatedKey, request: Request) => RecordWrite;

const conditionsOf = (headers: FastifyRequest['headers']): Conditions => ({
  ifMatch: headers['if-match'],
  ifNoneMatch: headers['if-none-match'],
});

/** The handler of a write. `prepare` validates the request and returns its write. */
const handlerOf =
  (writer: Writer, prepare: Prepare) =>
  async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
    const key = requireWriteAccess(request);
    const written = await runWrite(writer, request, reply, key, prepare(key, request));
    // A write with an unknown outcome may be committed.
    if (written === 'unknown' || !written.dryRun) writer.signals.announce(key.workspaceId);
    return send(reply, written);
  };

/** The write routes of one resource; paths are relative to /v1. */
export function registerWrites(v1: FastifyInstance, resource: Resource, writer: Writer): void {
  const { name } = resource;
  const write = (prepare: Prepare) => handlerOf(writer, prepare);
  const large = { bodyLimit: BATCH_BODY_MAX_BYTES };

  v1.post<Route>(
    `/${name}`,
    write((key, { body }) => createRecord(resource, key, body)),
  );
  v1.post<Route>(
    `/${name}/batch`,
    large,
    write((key, { body }) => createBatch(resource, key, body)),
  );
  v1.put<Route>(
    `/${name}/:id`,
    write((key, { params, body, headers }) =>
      putRecord(resource, key, params.id, body, conditionsOf(headers)),
    ),
  );
  if (resource.immutable) return;
  v1.patch<Route>(
    `/${name}/:id`,
    write((key, { params, body, headers }) =>
      patchRecord(resource, key, params.id, body, conditionsOf(headers)),
    ),
  );
  v1.delete<Route>(
    `/${name}/:id`,
    write((key, { params, headers }) => removeRecord(resource, key, params.id, conditionsOf(headers))),
  );
  v1.patch<Route>(
    `/${name}/batch`,
    large,
    write((key, { body }) => patchBatch(resource, key, body)),
  );
  v1.post<Route>(
    `/${name}/batch/delete`,
    large,
    write((key, { body }) => removeBatch(resource, key, body)),
  );
}

/** The route for writes to several resources in one transaction: `POST /v1/batch`. */
export function registerBatch(v1: FastifyInstance, resources: readonly Resource[], writer: Writer): void {
  v1.post<Route>(
    '/batch',
    { bodyLimit: BATCH_BODY_MAX_BYTES },
    handlerOf(writer, (key, { body }) => runOperations(resources, key, body)),
  );
}

/**
 * A dry run is rolled back: it has no audit entry yet. Any other write is committed with its audit entry. `unknown`: it
 * is not known whether it is committed.
 */
type Written =
  | 'unknown'
  | { readonly answer: Answer; readonly dryRun: true }
  | {
      readonly answer: Answer;
      readonly dryRun: false;
      /** Whether the answer is that of an earlier request with the same Idempotency-Key. */
      readonly replayed: boolean;
      readonly outcome: Recorded;
    };

/** Thrown to roll back the transaction of a dry run. It carries the answer out of the transaction. */
class DryRun extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('A dry run is rolled back.');
    this.answer = answer;
  }
}

/**
 * Runs a write in one transaction. The same transaction writes the audit entry, confirms the key, counts the request for
 * the quota and stores the answer for a repeat: either all of this is committed, or nothing. The write of a test key runs
 * and is rolled back. The write locks the clock of the workspace, then the audit entry locks the clock of the log: every
 * writer locks in this order. Fails with `unavailable` if it waits too long for a lock.
 */
async function runWrite(
  { writes, isDistributed, quotaGate }: Writer,
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  { start, bodyFromRecipe }: RecordWrite,
): Promise<Written> {
  const { workspaceId } = key;
  const dryRun = key.mode === 'test';
  const idempotent = repeatableRequest(request, key);
  // A dry run stores no answer, but its Idempotency-Key must be valid too.
  const repeatable = dryRun ? undefined : idempotent;
  try {
    const connections = traced(writes, request.span).of(workspaceId);
    return await inTransaction(connections, async (client): Promise<Written> => {
      const earlier = repeatable && (await claimIdempotencyKey(client, repeatable, bodyFromRecipe));
      const started: StartedWrite =
        earlier === undefined
          ? await start(client)
          : { result: { answer: earlier, recordIds: [] }, finish: () => [] };
      const { answer, recordIds, recipe } = started.result;
      const finish: Start = () => [
        ...started.finish(),
        ...(repeatable && earlier === undefined ? [storeAnswer(client, repeatable, answer, recipe)] : []),
      ];
      if (dryRun) {
        await atOnce(client, finish);
        throw new DryRun(answer);
      }
      const audited = auditedRequest(request, reply, key, {
        status: answer.status,
        counted: true,
        recordIds,
      });
      const write = (await isDistributed(client)) ? writeChecked : writeRequests;
      const results = await atOnce(client, () => [
        ...finish(),
        appendRequests(client, workspaceId, [audited], LOCK_TIMEOUT_MS, write),
      ]);
      const [outcome] = results.at(-1) as readonly Outcome[];
      if (outcome === undefined || outcome.result === 'invalid_key') throw invalidKey(true);
      if (outcome.result === 'over_quota') throw quotaGate.exceeded(workspaceId, outcome.quota);
      return { answer, dryRun: false, replayed: earlier !== undefined, outcome };
    });
  } catch (error) {
    if (error instanceof DryRun) return { answer: error.answer, dryRun: true };
    if (!(error instanceof UnknownOutcomeError)) throw error;
    request.log.warn({ err: error }, 'the commit of a write has no known outcome');
    return 'unknown';
  }
}

function send(reply: FastifyReply, written: Written): FastifyReply {
  if (written === 'unknown') return sendUnknownOutcome(reply);
  const { status, headers, body } = written.answer;
  reply.code(status).headers({ ...headers, 'cache-control': 'no-store' });
  if (body !== '') reply.type(JSON_UTF8);
  if (written.dryRun) return reply.header('dry-run', 'true').send(body || undefined);
  if (written.replayed) reply.header('idempotent-replayed', 'true');
  return sendAudited(reply, body, written.outcome);
}
