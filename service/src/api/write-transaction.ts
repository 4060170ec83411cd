import type { FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { appendRequests } from '../audit-log/append-requests.ts';
import type { Clock } from '../config/clock.ts';
import { LOCK_TIMEOUT_MS } from '../config/limits.ts';
import type { Shares } from '../database/lane.ts';
import { inTransaction } from '../database/pool.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import type { WriteResult } from '../records/mutations.ts';
import { quotaExceeded } from './audit-hook.ts';
import { invalidKey } from './authentication.ts';
import {
  claimIdempotencyKey,
  fingerprintOf,
  idempotencyKey,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts';
import { requestRecord } from './request-record.ts';

/** An answer and what the HTTP layer adds to it. */
export interface WriteAnswer extends StoredAnswer {
  readonly replayed: boolean;
  readonly dryRun: boolean;
}

/** What every write needs. */
export interface Writer {
  readonly writes: Shares;
  readonly clock: Clock;
  /** Workspaces whose quota was found used up. */
  readonly exhausted: Set<string>;
}

const noRecipe = (): never => {
  throw new Error('An answer was stored as a recipe that this route does not have.');
};

/** Carries a dry run's answer out of the transaction that it rolls back. */
class DryRun extends Error {
  readonly answer: StoredAnswer;
  constructor(answer: StoredAnswer) {
    super('A dry run is rolled back.');
    this.answer = answer;
  }
}

/**
 * Runs a write in one transaction that also holds its audit entry, confirms the key, counts the quota and keeps the
 * answer for a repeat: all of it is there, or none. A test key's write is executed and rolled back. Takes the
 * workspace's clock first and the log's clock last, like every writer; 503 when it waits too long for either.
 */
export async function runWrite(
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  { writes, clock, exhausted }: Writer,
  work: (client: pg.PoolClient) => Promise<WriteResult>,
  bodyOf: (recipe: object) => string = noRecipe,
): Promise<WriteAnswer> {
  const name = request.method === 'POST' ? idempotencyKey(request.headers['idempotency-key']) : undefined;
  const dryRun = key.mode === 'test';
  const repeatable =
    name === undefined || dryRun
      ? undefined
      : {
          workspaceId: key.workspaceId,
          companyId: key.companyId,
          key: name,
          fingerprint: fingerprintOf(request.method, request.url, request.body),
        };
  try {
    const { answer, replayed, outcome } = await inTransaction(writes.of(key.workspaceId), async (client) => {
      const first = repeatable && (await claimIdempotencyKey(client, repeatable, bodyOf));
      const result: WriteResult = first === undefined ? await work(client) : { answer: first, recordIds: [] };
      const { answer, recordIds, recipe } = result;
      if (dryRun) throw new DryRun(answer);
      if (repeatable && first === undefined) await storeAnswer(client, repeatable, answer, recipe);
      const [outcome] = await appendRequests(
        client,
        key.workspaceId,
        [requestRecord(request, reply, key, { status: answer.status, counted: true, recordIds })],
        LOCK_TIMEOUT_MS,
      );
      if (outcome === undefined || outcome.result === 'invalid_key') throw invalidKey(true);
      if (outcome.result === 'over_quota') {
        exhausted.add(key.workspaceId);
        throw quotaExceeded(outcome.quota, clock());
      }
      return { answer, replayed: first !== undefined, outcome };
    });
    // Not before it is committed: an answer of which nothing was recorded is recorded as it leaves.
    request.recorded = outcome;
    return { ...answer, replayed, dryRun };
  } catch (error) {
    if (error instanceof DryRun) return { ...error.answer, replayed: false, dryRun };
    throw error;
  }
}
