import type pg from 'pg';
import { inTransaction } from '../database/pool.ts';
import { deriveKey } from '../secrets.ts';

/** Says which secret it is without saying anything about it. */
export const fingerprintOf = (secret: string): string => deriveKey(secret, 'fingerprint').toString('hex');

/** `known`: a secret that this database was used with is among them. `unknown`: none is, and there are keys. */
export type SecretsVerdict = 'known' | 'new' | 'unknown';

/** Whether the keys in the database can be found with one of these secrets. */
export async function judgeSecrets(
  client: pg.Pool | pg.ClientBase,
  secrets: readonly string[],
): Promise<SecretsVerdict> {
  const { rows } = await client.query<{ known: boolean; keys: boolean }>(
    `select exists(select 1 from deployment_secrets where fingerprint = any($1)) as known,
      exists(select 1 from deployment_secrets) and exists(select 1 from api_keys where revoked_at is null) as keys`,
    [secrets.map(fingerprintOf)],
  );
  if (rows[0]?.known === true) return 'known';
  return rows[0]?.keys === true ? 'unknown' : 'new';
}

/**
 * Remembers the secret that issues, unless the verdict is `unknown` and `acceptUnknown` is not set. Nodes that start
 * at the same instant take turns, so of two with different secrets the second one is told.
 */
export function rememberSecrets(
  pool: pg.Pool,
  secrets: readonly string[],
  acceptUnknown: boolean,
): Promise<SecretsVerdict> {
  return inTransaction(pool, async (client) => {
    await client.query('lock table deployment_secrets in exclusive mode');
    const verdict = await judgeSecrets(client, secrets);
    const [issuing] = secrets;
    if (issuing !== undefined && (verdict !== 'unknown' || acceptUnknown)) {
      await client.query('insert into deployment_secrets (fingerprint) values ($1) on conflict do nothing', [
        fingerprintOf(issuing),
      ]);
    }
    return verdict;
  });
}
