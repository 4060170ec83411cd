import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { resealSecondFactors } from '../../dashboard/auth/second-factor/sealed-factors.ts';
import { counted } from '../../log/plural.ts';
import { secretFileOf } from './file.ts';
import { rememberSecrets } from './known.ts';
import { examineSecretUse, listed } from './use.ts';

export interface ConfirmOptions {
  readonly config: Pick<Config, 'secrets' | 'dataDir'>;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Whether to accept secrets that keys or second factors in the database do not work with. */
  readonly acceptNewSecret: boolean;
}

/**
 * Throws OperatorError if the secrets do not fit the database: keys and second factors would fail without a reason. Seals
 * second factors again with the first secret, and logs what no secret opens.
 */
export async function confirmSecrets(
  pool: pg.Pool,
  secrets: readonly string[],
  { config, log, acceptNewSecret }: ConfirmOptions,
): Promise<void> {
  const verdict = await rememberSecrets(pool, secrets, acceptNewSecret);
  const refused = verdict === 'earlier' || verdict === 'unknown';
  if (refused && !acceptNewSecret) {
    throw new OperatorError(
      refusal(verdict, config.secrets === undefined ? secretFileOf(config.dataDir) : 'SVC_SECRET'),
    );
  }
  if (refused) log.warn('a new secret was accepted: API keys and sessions of other secrets no longer work');
  const resealed = await resealSecondFactors(pool, secrets);
  if (resealed > 0) log.info(`sealed second factors with the first secret: ${resealed}`);
  const { keys, lostKeys, factors } = await examineSecretUse(pool, secrets);
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
}

const refusal = (verdict: 'earlier' | 'unknown', source: string): string =>
  verdict === 'earlier'
    ? `the secret in ${source} is an earlier secret of this database: API keys or second factors need a newer one. ` +
      'Add the newer one (SVC_SECRET=newer,earlier). If it is lost, run svcd start --accept-new-secret once: it ' +
      'lists what must be created again.'
    : `the secret in ${source} is not the one that the API keys and second factors in this database need: ` +
      'none of them would work. Restore the old secret (in SVC_SECRET it may follow a new one after a comma). If it ' +
      'is lost, run svcd start --accept-new-secret once: it lists what must be created again.';
