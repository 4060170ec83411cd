import type pg from 'pg';
import { fingerprintOf } from '../../config/secrets.ts';
import { sealingKeys, UNNAMED_VERSION } from '../../dashboard/auth/second-factor/sealing-keys.ts';
import { inTransaction } from '../../database/pool.ts';

/**
 * `known`: the secrets include the one that issued last. `new`: no key or second factor needs another secret. `earlier`:
 * the database was used with one of them, but keys or second factors now need a newer one. `unknown`: the database was
 * used with none of them.
 */
export type SecretsVerdict = 'known' | 'new' | 'earlier' | 'unknown';

/** Whether the keys and second factors in the database work with these secrets. */
export async function judgeSecrets(
  client: pg.Pool | pg.ClientBase,
  secrets: readonly string[],
): Promise<SecretsVerdict> {
  const { rows } = await client.query<{ verdict: SecretsVerdict }>(
    `with known as (select exists(select 1 from deployment_secrets where fingerprint = any($1)) as listed)
     select case
       when coalesce((select fingerprint = any($1) from deployment_secrets order by issuing_since desc, fingerprint limit 1), false)
         then 'known'
       when not exists(select 1 from deployment_secrets) then 'new'
       when exists(
         select 1 from api_keys where revoked_at is null
           and case when secret_fingerprint is null then not known.listed else secret_fingerprint <> all($1) end
       ) or exists(
         select 1 from second_factors, unnest(array[secret, backup_codes]) sealed
         where verified and case split_part(sealed, '$', 3) when $3 then not known.listed
           else split_part(sealed, '$', 3) <> all($2) end
       )
         then case when known.listed then 'earlier' else 'unknown' end
       else 'new'
     end as verdict
     from known`,
    [
      secrets.map(fingerprintOf),
      sealingKeys(secrets).map(({ version }) => String(version)),
      String(UNNAMED_VERSION),
    ],
  );
  return rows[0]?.verdict ?? 'new';
}

/**
 * Stores the fingerprint of the issuing secret, unless the verdict is `earlier` or `unknown` and `accept` is false. Nodes
 * that start at the same time take turns, so of two nodes with different secrets the second one is refused.
 */
export function rememberSecrets(
  pool: pg.Pool,
  secrets: readonly string[],
  accept: boolean,
): Promise<SecretsVerdict> {
  return inTransaction(pool, async (client) => {
    await client.query('lock table deployment_secrets in exclusive mode');
    const verdict = await judgeSecrets(client, secrets);
    const [issuing] = secrets;
    if (issuing !== undefined && (verdict === 'known' || verdict === 'new' || accept)) {
      await client.query(
        `insert into deployment_secrets as s (fingerprint, issuing_since) values ($1, clock_timestamp())
         on conflict (fingerprint) do update set issuing_since = excluded.issuing_since
         where exists(select 1 from deployment_secrets other where other.issuing_since > s.issuing_since)`,
        [fingerprintOf(issuing)],
      );
    }
    return verdict;
  });
}
