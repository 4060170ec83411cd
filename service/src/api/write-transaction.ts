import type { FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { appendRequests, type QuotaState } from '../audit-log/append-requests.ts';
import { LOCK_TIMEOUT_MS } from '../config/limits.ts';
import type { Shares } from '../database/lane.ts';
import { inTransaction } from '../database/pool.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import type { QuotaGate } from '../quota/live-quota.ts';
import type { WriteResult } from '../records/mutations.ts';
import { requestRecord } from './audit-hook.ts';
import { invalidKey } from './authentication.ts';
import {
  claimIdempotencyKey,
  fingerprintOf,
  type IdempotentRequest,
  idempotencyKey,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts';

/** The parts of the service that every write uses. */
export interface Writer {
  readonly writes: Shares;
  readonly quotaGate: QuotaGate;
}

/** A write as a route describes it. */
export interface Write {
  readonly key: AuthenticatedKey;
  /** Changes the records, in the transaction. */
  readonly work: (client: pg.PoolClient) => Promise<WriteResult>;
  /** Makes the body of a repeated response from its recipe. Default: no response of this route has a recipe. */
  readonly bodyOf?: (recipe: object) => string;
}

/** A dry run is rolled back: it has no audit entry yet. Any other write is committed with its audit entry. */
export type Written =
  | { readonly answer: StoredAnswer; readonly dryRun: true }
  | {
      readonly answer: StoredAnswer;
      readonly dryRun: false;
      /** Whether the answer is that of an earlier request with the same Idempotency-Key. */
      readonly replayed: boolean;
      /** The live quota after the write. Null: the workspace has none. */
      readonly quota: QuotaState | null;
    };

const noRecipe = (): never => {
  throw new Error('An answer was stored as a recipe that this route does not have.');
};

/** Carries the answer of a dry run out of the transaction, which its throw rolls back. */
class DryRun extends Error {
  readonly answer: StoredAnswer;
  constructor(answer: StoredAnswer) {
    super('A dry run is rolled back.');
    this.answer = answer;
  }
}

/**
 * Runs a write in one transaction. The transaction also holds the audit entry, confirms the key, counts the quota and
 * stores the answer for a repeat: either all of this is committed, or nothing. The write of a test key runs and is
 * rolled back. The work locks the clock of the workspace, then the audit entry locks the clock of the log: every writer
 * locks in this order. Fails with `unavailable` when a lock takes too long.
 */
export async function runWrite(
  { writes, quotaGate }: Writer,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, work, bodyOf = noRecipe }: Write,
): Promise<Written> {
  const { workspaceId } = key;
  const dryRun = key.mode === 'test';
  const name = request.method === 'POST' ? idempotencyKey(request.headers['idempotency-key']) : undefined;
  const repeatable: IdempotentRequest | undefined =
    name === undefined || dryRun
      ? undefined
      : {
          workspaceId,
          companyId: key.companyId,
          key: name,
          fingerprint: fingerprintOf(request.method, request.url, request.body),
        };
  try {
    return await inTransaction(writes.of(workspaceId), async (client): Promise<Written> => {
      const earlier = repeatable && (await claimIdempotencyKey(client, repeatable, bodyOf));
      const { answer, recordIds, recipe }: WriteResult =
        earlier === undefined ? await work(client) : { answer: earlier, recordIds: [] };
      if (dryRun) throw new DryRun(answer);
      if (repeatable && earlier === undefined) await storeAnswer(client, repeatable, answer, recipe);
      const [outcome] = await appendRequests(
        client,
        workspaceId,
        [requestRecord(request, reply, key, { status: answer.status, counted: true, recordIds })],
        LOCK_TIMEOUT_MS,
      );
      if (outcome === undefined || outcome.result === 'invalid_key') throw invalidKey(true);
      if (outcome.result === 'over_quota') throw quotaGate.exceeded(workspaceId, outcome.quota);
      return { answer, dryRun: false, replayed: earlier !== undefined, quota: outcome.quota };
    });
  } catch (error) {
    if (error instanceof DryRun) return { answer: error.answer, dryRun: true };
    throw error;
  }
}
