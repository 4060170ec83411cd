import { IDEMPOTENCY_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { idempotencyKey, isExpired, requestFingerprint } from '../../api/idempotency.ts';
import { preparedStatement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { Repeats } from '../../keys/store.ts';
import type { Person } from './session.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route requires an Idempotency-Key, so that a repeat does not create anything twice. Default: false. */
    readonly creates?: boolean;
  }
}

/** Options of a route that creates something. */
export const CREATES = { config: { creates: true } } as const;

/** Refuses a request to such a route without a valid Idempotency-Key, before any other work. */
export function requireIdempotencyKeys(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request) => {
    if (request.routeOptions.config?.creates === true) keyOf(request);
  });
}

const findCreation = preparedStatement('find_dashboard_creation', 'request')`
  select created_id as id, fingerprint = $3 as same from dashboard_idempotency_keys
  where user_id = $1 and idempotency_key = $2 and created_at >= now() - $4 * interval '1 second'`;
const keepCreation = preparedStatement('keep_dashboard_creation', 'request')`
  insert into dashboard_idempotency_keys as k (user_id, idempotency_key, fingerprint, created_id)
  values ($1, $2, $3, $4)
  on conflict (user_id, idempotency_key) do update set
    fingerprint = excluded.fingerprint, created_id = excluded.created_id, created_at = excluded.created_at
  where ${isExpired('k', '$5')}`;

/**
 * Recognizes the repeats of a person's request that creates something. A repeat finds the id of what the first request
 * created. Only the id is stored, no token and no link, so the caller reads the present state. `body`: what a repeat must
 * have in common with the first request.
 */
export function repeatsOf(request: FastifyRequest, person: Person, body: unknown = request.body): Repeats {
  const key = keyOf(request);
  const path = request.url.split('?', 1)[0] ?? '';
  const fingerprint = requestFingerprint(request.method, path, body);
  return {
    find: async (client) => {
      await claim(client, person.id, key);
      const { rows } = await client.query<{ id: string; same: boolean }>(
        findCreation(person.id, key, fingerprint, IDEMPOTENCY_LIFETIME_SECONDS),
      );
      const [found] = rows;
      if (found?.same === false) {
        throw new ApiError(
          'idempotency_mismatch',
          'This form was already sent with other values. Close it to see the result.',
        );
      }
      return found?.id;
    },
    keep: async (client, id) => {
      const { rowCount } = await client.query(
        keepCreation(person.id, key, fingerprint, id, IDEMPOTENCY_LIFETIME_SECONDS),
      );
      if (rowCount === 0) throw stillRunning();
    },
  };
}

function keyOf(request: FastifyRequest): string {
  const key = idempotencyKey(request.headers['idempotency-key']);
  if (key !== undefined) return key;
  throw new ApiError('invalid_parameter', 'This request needs an Idempotency-Key header.');
}

const lockCreation = preparedStatement('claim_dashboard_creation', 'control')`
  select pg_try_advisory_xact_lock(hashtextextended('dashboard ' || $1 || ' ' || $2, 0)) as free`;

const stillRunning = (): ApiError =>
  new ApiError('idempotency_in_progress', 'The same request is still running. Try again in a moment.', {
    'retry-after': '1',
  });

/**
 * Locks the key until the transaction ends, on every node of one coordinator. Throws instead of waiting, so a repeat keeps
 * no connection. With several coordinators, the unique row of the key decides when it is kept.
 */
async function claim(client: pg.ClientBase, userId: string, key: string): Promise<void> {
  const { rows } = await client.query<{ free: boolean }>(lockCreation(userId, key));
  if (rows[0]?.free !== true) throw stillRunning();
}
