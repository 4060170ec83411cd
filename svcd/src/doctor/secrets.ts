import { CURSOR_LIFETIME_SECONDS } from '@svc/sdk/contract';
import type { Config } from '@svc/service/config/config';
import { counted } from '@svc/service/config/plural';
import { judgeSecrets } from '@svc/service/server/secrets/confirm';
import { readSecretFile, secretFileOf } from '@svc/service/server/secrets/file';
import { examineSecretUse, listed, type SecretUse } from '@svc/service/server/secrets/use';
import type pg from 'pg';
import { type Finding, fail, ok, warn } from './check.ts';

const HOUR_SECONDS = 3_600;

/** The deployment's secrets. Undefined if there is no secret yet. */
async function findSecrets(config: Config): Promise<readonly string[] | undefined> {
  if (config.secrets !== undefined) return config.secrets;
  const file = await readSecretFile(config.dataDir);
  return file && [file.secret];
}

/** Says where the secrets are, and warns if other users can read them. Reading them has checked their length. */
export async function checkSecrets(config: Config): Promise<Finding> {
  if (config.secrets !== undefined) {
    const old = config.secrets.length - 1;
    return ok(
      'secrets',
      old === 0 ? 'one, in SVC_SECRET' : `one in SVC_SECRET, and ${counted(old, 'older one', 'older ones')}`,
    );
  }
  const path = secretFileOf(config.dataDir);
  const file = await readSecretFile(config.dataDir);
  if (file === undefined) return ok('secrets', `${path} does not exist yet; svcd start creates it`);
  if (file.exposed) return warn('secrets', `other users can read ${path}`, `run: chmod 600 ${path}`);
  return ok('secrets', path);
}

/** Checks whether keys, second factors and webhooks work with these secrets, and whether older secrets may be removed. */
export async function checkSecretUse(pool: pg.Pool, config: Config): Promise<readonly Finding[]> {
  const secrets = (await findSecrets(config)) ?? [];
  const verdict = await judgeSecrets(pool, secrets);
  if (verdict === 'unknown' || verdict === 'earlier') return [checkVerdict(verdict)];
  const use = await examineSecretUse(pool, secrets);
  return [
    checkKeys(use),
    checkSecondFactors(use),
    checkEndpoints(use),
    ...(secrets.length > 1 ? [checkRotation(use)] : []),
  ];
}

const checkVerdict = (verdict: 'unknown' | 'earlier'): Finding =>
  verdict === 'earlier'
    ? fail(
        'keys',
        'this is an earlier secret: keys, second factors or webhooks need a newer one and do not work',
        'add the newer secret (SVC_SECRET=newer,earlier), or run svcd start --accept-new-secret',
      )
    : fail(
        'keys',
        'they need another secret: none of them works',
        'restore the old secret, or run svcd start --accept-new-secret and create new keys',
      );

const checkKeys = ({ keys, lostKeys }: SecretUse): Finding =>
  keys.lost === 0
    ? ok('keys', 'all work with this secret')
    : warn(
        'keys',
        `${counted(keys.lost, 'key does', 'keys do')} not work, because the secret is not configured: ${listed(lostKeys, keys.lost)}`,
        'add that secret to SVC_SECRET, or revoke these keys',
      );

const checkSecondFactors = ({ factors: { lost, old } }: SecretUse): Finding => {
  if (lost.length > 0) {
    return warn(
      'second factors',
      `${counted(lost.length, 'person', 'people')} cannot use the second factor, because its secret is not configured: ${listed(lost)}`,
      'add that secret to SVC_SECRET, or run svcd user reset-second-factor for these people',
    );
  }
  return ok('second factors', old === 0 ? 'all work with this secret' : 'all work with these secrets');
};

const checkEndpoints = ({ endpoints: { lost, old } }: SecretUse): Finding => {
  if (lost.length > 0) {
    return warn(
      'webhooks',
      `${counted(lost.length, 'endpoint gets', 'endpoints get')} no webhooks, because the secret that sealed theirs is not configured: ${listed(lost)}`,
      'add that secret to SVC_SECRET, or rotate the secrets of these endpoints in the dashboard',
    );
  }
  return ok('webhooks', old === 0 ? 'all work with this secret' : 'all work with these secrets');
};

/**
 * A key moves to the first secret when it is used, a second factor and the secret of an endpoint in a job. Cursors and
 * sessions expire.
 */
function checkRotation({ keys, oldKeys, factors, endpoints, issuingSeconds }: SecretUse): Finding {
  const keep: string[] = [];
  if (keys.old > 0)
    keep.push(`${counted(keys.old, 'key', 'keys')} not used since: ${listed(oldKeys, keys.old)}`);
  if (factors.old > 0) keep.push(counted(factors.old, 'second factor', 'second factors'));
  if (endpoints.old > 0) keep.push(counted(endpoints.old, 'webhook endpoint', 'webhook endpoints'));
  const cursorSeconds = CURSOR_LIFETIME_SECONDS - (issuingSeconds ?? 0);
  if (cursorSeconds > 0)
    keep.push(`cursors, for ${counted(Math.ceil(cursorSeconds / HOUR_SECONDS), 'hour', 'hours')} more`);
  if (keep.length === 0) return ok('rotation', 'nothing needs the older secrets: you can remove them');
  return warn(
    'rotation',
    `older secrets are still needed by ${keep.join('; ')}`,
    'keep them; a key moves to the new secret when it is used, second factors and webhooks move when the service starts and once an hour',
  );
}
