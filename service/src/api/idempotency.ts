import { createHash } from 'node:crypto';
import { atOnce } from '@svc/pipelined-postgres/at-once';
import { IDEMPOTENCY_KEY_MAX_CHARACTERS, IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type { FastifyRequest } from 'fastify';
import type pg from 'pg';
import { lookUp } from '../database/look-up.ts';
import { preparedStatement } from '../database/statement.ts';
import { ApiError } from '../http/errors.ts';
import type { Scope } from '../list/read.ts';
import type { Answer } from '../records/create.ts';

/** A request that has an Idempotency-Key. */
interface IdempotentRequest {
  readonly workspaceId: string;
  /** The company that the API key is limited to. Null: the key is not limited. */
  readonly companyId: string | null;
  /** The Idempotency-Key. */
  readonly key: string;
  readonly fingerprint: Buffer;
}

const SHAPE = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX_CHARACTERS}}$`);

/** The methods with an Idempotency-Key. The others of the API give the same state when they are repeated. */
const REPEATABLE: readonly string[] = ['POST', 'PUT'];

/** Reads the Idempotency-Key header. Undefined: there is none. Throws `invalid_parameter`. */
export function idempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && SHAPE.test(header)) return header;
  throw new ApiError(
    'invalid_parameter',
    `The Idempotency-Key header must be 1 to ${IDEMPOTENCY_KEY_MAX_CHARACTERS} visible ASCII characters.`,
  );
}

/** A POST or PUT with an Idempotency-Key. Its repeats have the same values. Undefined: there is no Idempotency-Key. */
export function repeatableRequest(
  { method, url, headers, body }: Pick<FastifyRequest, 'method' | 'url' | 'headers' | 'body'>,
  { workspaceId, companyId }: Scope,
): IdempotentRequest | undefined {
  const key = REPEATABLE.includes(method) ? idempotencyKey(headers['idempotency-key']) : undefined;
  if (key === undefined) return undefined;
  return { workspaceId, companyId, key, fingerprint: requestFingerprint(method, url, body) };
}

/** A hash of the method, the path and the body. A repeat has the same hash as the first request. */
export const requestFingerprint = (method: string, path: string, body: unknown): Buffer =>
  createHash('sha256')
    .update(`${method} ${path}\n${JSON.stringify(body)}`)
    .digest();

/**
 * The name of an Idempotency-Key in the table. API keys that are limited to a company have separate names, so that one
 * company cannot use or learn the names of another. An Idempotency-Key never contains a space.
 */
const storedName = ({ companyId, key }: IdempotentRequest): string =>
  companyId === null ? key : `${companyId} ${key}`;

interface StoredRow {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly batch: object | null;
  readonly fingerprint: Buffer;
  readonly expired: boolean;
}

// It only refuses repeats early: nodes with another coordinator of a cluster do not see it. The row of the answer decides.
const lockIdempotencyKey = preparedStatement('claim_idempotency_key', 'control')`
  select pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0)) as free`;
// Rows with before_scopes are older than the separate names. A limited API key finds them too, for the same request.
const findAnswer = preparedStatement('find_idempotent_answer', 'request')`
  select status, headers, body, batch, fingerprint, created_at < now() - $3 * interval '1 second' as expired
  from unnest(array[$2, $5]) with ordinality as wanted (name, place) cross join lateral (
    ${lookUp({ select: '*', from: 'idempotent_answers', column: 'idempotency_key', key: 'wanted.name' })}) answer
  where place = 1 or $4 and before_scopes and fingerprint = $6
  order by place limit 1`;

/**
 * Claims the Idempotency-Key for this transaction. Returns the answer of the first request if it is younger than 24 hours.
 * Default: undefined. Throws `idempotency_in_progress` while another transaction has the key, and `idempotency_mismatch` if
 * the key was used for another request.
 */
export async function claimIdempotencyKey(
  client: pg.ClientBase,
  request: IdempotentRequest,
  bodyFromRecipe: ((recipe: object) => string) | undefined,
): Promise<Answer | undefined> {
  const { workspaceId, key, companyId, fingerprint } = request;
  const name = storedName(request);
  const [lock, { rows }] = await atOnce(client, () => [
    client.query<{ free: boolean }>(lockIdempotencyKey(workspaceId, name)),
    client.query<StoredRow>(
      findAnswer(workspaceId, name, IDEMPOTENCY_LIFETIME_SECONDS, companyId !== null, key, fingerprint),
    ),
  ]);
  if (lock.rows[0]?.free !== true) throw stillRunning();
  const [found] = rows;
  if (found === undefined || found.expired) return undefined;
  if (!found.fingerprint.equals(fingerprint)) {
    throw new ApiError(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another method, path or body. Use a new one.',
    );
  }
  const { status, headers, batch } = found;
  const body = found.body ?? bodyFromRecipe?.(batch ?? {});
  if (body === undefined) throw new Error('An answer was stored as a recipe that this route does not have.');
  return { status, headers, body };
}

const stillRunning = (): ApiError =>
  new ApiError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running. Try again shortly.',
    { 'retry-after': '1' },
  );

/**
 * SQL: whether the answer in the table is too old to be repeated. With `now()` as the time of the new one, as
 * `find_idempotent_answer` has it.
 */
export const isExpired = (table: string, seconds: string): string =>
  `(${table}.created_at at time zone 'UTC') < (excluded.created_at at time zone 'UTC') - ${seconds} * interval '1 second'`;

const insertAnswer = preparedStatement('store_idempotent_answer', 'request')`
  insert into idempotent_answers as a (workspace_id, idempotency_key, fingerprint, status, headers, body, batch)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (workspace_id, idempotency_key) do update set
    fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
    batch = excluded.batch, before_scopes = false, created_at = excluded.created_at
  where ${isExpired('a', '$8')}`;

/**
 * Stores the answer, in the transaction of the write. If there is a `recipe`, it is stored instead of the body. The row is
 * unique, so it waits for another transaction that stores an answer. Throws `idempotency_in_progress`, so that nothing is
 * written, if that one is committed.
 */
export async function storeAnswer(
  client: pg.ClientBase,
  request: IdempotentRequest,
  answer: Answer,
  recipe?: object,
): Promise<void> {
  const { rowCount } = await client.query(
    insertAnswer(
      request.workspaceId,
      storedName(request),
      request.fingerprint,
      answer.status,
      JSON.stringify(answer.headers),
      recipe === undefined ? answer.body : null,
      recipe === undefined ? null : JSON.stringify(recipe),
      IDEMPOTENCY_LIFETIME_SECONDS,
    ),
  );
  if (rowCount === 0) throw stillRunning();
}
