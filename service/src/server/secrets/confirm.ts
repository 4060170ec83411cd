import { fingerprintOf } from '@svc/deployment-secrets';
import { createSecretSealer, sealingKeyName } from '@svc/deployment-secrets/sealed';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../config/errors.ts';
import { counted } from '../../config/plural.ts';
import { resealSecondFactors, sealingKeys, UNNAMED_VERSION } from '../../dashboard/auth/sealed-factors.ts';
import { inTransaction } from '../../database/pool.ts';
import { statement } from '../../database/statement.ts';
import { resealEndpointSecrets } from '../../webhooks/reseal.ts';
import { createSecretFile, readSecretFile, secretFileOf } from './file.ts';
import { examineSecretUse, listed } from './use.ts';

export interface ConfirmOptions {
  readonly config: Pick<Config, 'secrets' | 'dataDir'>;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Whether to accept secrets that keys, second factors or webhooks in the database do not work with. Default: false. */
  readonly acceptNewSecret?: boolean;
}

/**
 * The deployment's secrets: those of SVC_SECRET, or else the one in the data directory, which is created if it is missing.
 * Does not create it, and throws OperatorError, if the database needs another secret, unless `acceptNewSecret` is true.
 */
export async function deploymentSecrets(
  pool: pg.Pool,
  { config, log, acceptNewSecret = false }: ConfirmOptions,
): Promise<readonly string[]> {
  if (config.secrets !== undefined) return config.secrets;
  const path = secretFileOf(config.dataDir);
  const found = await readSecretFile(config.dataDir);
  if (found?.exposed === true) log.warn(`other users can read ${path}; run: chmod 600 ${path}`);
  if (found !== undefined) return [found.secret];
  if (!acceptNewSecret && (await judgeSecrets(pool, [])) === 'unknown') {
    throw new OperatorError(
      `there is no secret in ${path}, and API keys, second factors or webhooks in this database need theirs. Put it ` +
        `there (mode 0600): it was in the file secret of the original data directory, or in SVC_SECRET. ${LOST}`,
    );
  }
  const { secret } = await createSecretFile(config.dataDir);
  log.info(`created the deployment's secret in ${path}; include it in your backups`);
  return [secret];
}

/**
 * Throws OperatorError if keys, second factors or webhooks in the database need another secret: they would fail, and nobody
 * would know why. Seals second factors and the secrets of webhooks again with the first secret. Logs what no secret opens.
 */
export async function confirmSecrets(
  pool: pg.Pool,
  secrets: readonly string[],
  { config, log, acceptNewSecret = false }: ConfirmOptions,
): Promise<void> {
  const verdict = await rememberSecrets(pool, secrets, acceptNewSecret);
  const refused = verdict === 'earlier' || verdict === 'unknown';
  const source = config.secrets === undefined ? secretFileOf(config.dataDir) : 'SVC_SECRET';
  if (refused && !acceptNewSecret) throw new OperatorError(refusal(verdict, source));
  if (refused) log.warn('a new secret was accepted: API keys and sessions of other secrets no longer work');
  const resealed = await resealSecondFactors(pool, secrets);
  if (resealed > 0) log.info(`sealed second factors with the first secret: ${resealed}`);
  const sealed = await resealEndpointSecrets(pool, createSecretSealer(secrets));
  if (sealed > 0) log.info(`sealed secrets of webhooks with the first secret: ${sealed}`);
  const { keys, lostKeys, factors, endpoints } = await examineSecretUse(pool, secrets);
  if (keys.lost > 0) {
    log.warn(
      `${counted(keys.lost, 'API key does', 'API keys do')} not work, because the secret is not configured: ` +
        listed(lostKeys, keys.lost),
    );
  }
  if (factors.lost.length > 0) {
    log.warn(
      `${counted(factors.lost.length, 'person', 'people')} cannot use the second factor, because its secret is not ` +
        'configured. Reset it with svcd user reset-second-factor; these people must set it up again: ' +
        listed(factors.lost),
    );
  }
  if (endpoints.lost.length > 0) {
    log.warn(
      `${counted(endpoints.lost.length, 'endpoint gets', 'endpoints get')} no webhooks, because the secret that sealed theirs is ` +
        `not configured. Rotate their secrets in the dashboard: ${listed(endpoints.lost)}`,
    );
  }
}

const LOST = 'If it is lost, run svcd start --accept-new-secret once: it lists what must be created again.';
const refusal = (verdict: 'earlier' | 'unknown', source: string): string =>
  verdict === 'earlier'
    ? `the secret in ${source} is an earlier secret of this database: API keys, second factors or webhooks need a newer one. ` +
      `Add the newer one (SVC_SECRET=newer,earlier). ${LOST}`
    : `the secret in ${source} is not the one that the API keys, second factors and webhooks in this database need: ` +
      `none of them would work. Restore the old secret (in SVC_SECRET it may follow a new one after a comma). ${LOST}`;

/**
 * `known`: the secrets include the one that issued last. `new`: they do not, but no key, second factor or webhook needs
 * another secret. `earlier`: the database was used with one of the secrets, but some of them need a newer secret.
 * `unknown`: the database was used with none of the secrets, and some of them need another secret.
 */
type SecretsVerdict = 'known' | 'new' | 'earlier' | 'unknown';

const selectListed = statement('secret_listed', 'request')`
  select exists(select 1 from deployment_secrets where fingerprint = any($1)) as listed`;
// Each subquery reads one table and refers to nothing outside, so that a cluster can run it on several nodes.
const selectVerdict = statement('judge_secrets', 'background: it reads all keys when a process starts')`
  select case
    when coalesce((select fingerprint = any($1) from deployment_secrets order by issuing_since desc, fingerprint limit 1), false)
      then 'known'
    when not exists(select 1 from deployment_secrets) then 'new'
    when exists(
      select 1 from api_keys where revoked_at is null
        and case when secret_fingerprint is null then not $5::boolean else secret_fingerprint <> all($1) end
    ) or exists(
      select 1 from second_factors, unnest(array[secret, backup_codes]) sealed
      where verified and case split_part(sealed, '$', 3) when $3 then not $5
        else split_part(sealed, '$', 3) <> all($2) end
    ) or exists(
      select 1 from webhook_endpoints where deleted_at is null and split_part(secret, '.', 1) <> all($4)
    )
      then case when $5 then 'earlier' else 'unknown' end
    else 'new'
  end as verdict`;

/** Whether the keys, second factors and webhooks in the database work with these secrets. */
export async function judgeSecrets(
  client: pg.Pool | pg.ClientBase,
  secrets: readonly string[],
): Promise<SecretsVerdict> {
  const fingerprints = secrets.map(fingerprintOf);
  const { rows: known } = await client.query<{ listed: boolean }>(selectListed(fingerprints));
  const { rows } = await client.query<{ verdict: SecretsVerdict }>(
    selectVerdict(
      fingerprints,
      sealingKeys(secrets).map(({ version }) => String(version)),
      String(UNNAMED_VERSION),
      secrets.map(sealingKeyName),
      known[0]?.listed === true,
    ),
  );
  return rows[0]?.verdict ?? 'new';
}

const lockSecrets = statement('lock_secrets', 'control')`lock table deployment_secrets in exclusive mode`;
const insertSecret = statement('remember_secret', 'request')`
  insert into deployment_secrets as s (fingerprint, issuing_since)
  select $1, clock_timestamp() where not exists (
    select 1 from deployment_secrets where fingerprint = $1
      and issuing_since >= all (select issuing_since from deployment_secrets))
  on conflict (fingerprint) do update set issuing_since = excluded.issuing_since`;

/**
 * Stores the fingerprint of the issuing secret. Does not store it if the verdict is `earlier` or `unknown` and `accept` is
 * false. A lock lets nodes that start at the same time do so in turn, so the second of two nodes with different secrets
 * gets the refusal.
 */
export function rememberSecrets(
  pool: pg.Pool,
  secrets: readonly string[],
  accept: boolean,
): Promise<SecretsVerdict> {
  return inTransaction(pool, async (client) => {
    await client.query(lockSecrets());
    const verdict = await judgeSecrets(client, secrets);
    const [issuing] = secrets;
    if (issuing !== undefined && (verdict === 'known' || verdict === 'new' || accept)) {
      await client.query(insertSecret(fingerprintOf(issuing)));
    }
    return verdict;
  });
}
