import type pg from 'pg';
import type { Config } from '../../config.ts';
import { judgeSecrets } from '../../server/known-secrets.ts';
import { readSecretFile, secretFileOf } from '../../server/secret-file.ts';
import { type Finding, fail, ok, warn } from './check.ts';

/** The deployment's secrets, without making one; undefined when there is none yet. */
export async function findSecrets(config: Config): Promise<readonly string[] | undefined> {
  if (config.secrets !== undefined) return config.secrets;
  const file = await readSecretFile(config.dataDir);
  return file && [file.secret];
}

/** Where the secrets are, and whether nobody else may read them. Their length was checked when they were read. */
export async function checkSecrets(config: Config): Promise<Finding> {
  if (config.secrets !== undefined) {
    const old = config.secrets.length - 1;
    return ok('secrets', old === 0 ? 'one, in SVC_SECRET' : `SVC_SECRET, and ${old} older that it accepts`);
  }
  const path = secretFileOf(config.dataDir);
  const file = await readSecretFile(config.dataDir);
  if (file === undefined) return ok('secrets', `${path} is not there yet; svcd start makes it`);
  if (file.exposed) return warn('secrets', `others may read ${path}`, `run: chmod 600 ${path}`);
  return ok('secrets', path);
}

/** Whether the keys in the database can be found with these secrets. */
export async function checkKeysSecret(pool: pg.Pool, config: Config): Promise<Finding> {
  const secrets = (await findSecrets(config)) ?? [];
  const verdict = await judgeSecrets(pool, secrets);
  if (verdict !== 'unknown') return ok('keys', 'made with this secret');
  return fail(
    'keys',
    'made with another secret: none of them works',
    'restore the old secret, or run svcd start --accept-new-secret and make new keys',
  );
}
