import { fingerprintOf } from '@svc/deployment-secrets';
import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import type pg from 'pg';
import { examineSecondFactors, type FactorSecrets } from '../../dashboard/auth/sealed-factors.ts';
import { type BoundStatement, statement } from '../../database/statement.ts';
import { type EndpointSecrets, examineEndpointSecrets } from '../../webhooks/reseal.ts';

/** Which keys, second factors and endpoints of webhooks depend on which of the deployment's secrets. */
export interface SecretUse {
  /** Active keys that need an older secret (`old`) or a secret that is not configured (`lost`). */
  readonly keys: { readonly old: number; readonly lost: number };
  /** At most {@link SHOWN} of the `old` keys, as `name (id, workspace)`. */
  readonly oldKeys: readonly string[];
  /** The same for the `lost` keys. */
  readonly lostKeys: readonly string[];
  readonly factors: FactorSecrets;
  readonly endpoints: EndpointSecrets;
  /** Seconds since the first secret became the issuing secret. Undefined if it never was. */
  readonly issuingSeconds: number | undefined;
}

/** The most names in one message. */
const SHOWN = 20;

/** The active keys that meet a condition. $1 is the fingerprint of the first secret, $2 has those of all secrets. */
const keysWhere = (name: string, condition: string): BoundStatement =>
  statement(name, 'background: it reads all keys, when a process starts or for svcd doctor')`
    select format('%s (%s, %s)', name, id, workspace_id) as name, count(*) over () as count from api_keys
    where revoked_at is null and (${condition}) order by workspace_id, id limit ${SHOWN}`;
const selectOldKeys = keysWhere(
  'keys_of_old_secrets',
  'secret_fingerprint is null or secret_fingerprint <> $1 and secret_fingerprint = any($2)',
);
const selectLostKeys = keysWhere(
  'keys_of_lost_secrets',
  'secret_fingerprint <> $1 and secret_fingerprint <> all($2)',
);
const selectIssuingTime = statement('issuing_seconds', 'request')`
  select extract(epoch from now() - issuing_since)::float8 as seconds from deployment_secrets where fingerprint = $1`;

/** Examines all keys, second factors and endpoints. Changes nothing. */
export async function examineSecretUse(pool: pg.Pool, secrets: readonly string[]): Promise<SecretUse> {
  const fingerprints = secrets.map(fingerprintOf);
  const old = await readKeys(pool, selectOldKeys, fingerprints);
  const lost = await readKeys(pool, selectLostKeys, fingerprints);
  const { rows } = await pool.query<{ seconds: number }>(selectIssuingTime(fingerprints[0]));
  return {
    keys: { old: old.count, lost: lost.count },
    oldKeys: old.names,
    lostKeys: lost.names,
    factors: await examineSecondFactors(pool, secrets),
    endpoints:
      secrets.length === 0
        ? { old: 0, lost: [] }
        : await examineEndpointSecrets(pool, createSecretSealer(secrets)),
    issuingSeconds: rows[0]?.seconds,
  };
}

async function readKeys(
  pool: pg.Pool,
  select: BoundStatement,
  fingerprints: readonly string[],
): Promise<{ readonly count: number; readonly names: readonly string[] }> {
  const { rows } = await pool.query<{ name: string; count: number }>(
    select(fingerprints[0] ?? '', fingerprints),
  );
  return { count: rows[0]?.count ?? 0, names: rows.map(({ name }) => name) };
}

/** At most {@link SHOWN} names, and how many more there are. */
export function listed(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, SHOWN);
  const more = count - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
