import { resolve } from 'node:path';
import { hasDatabase, OtherMajorVersionError } from '@svc/embedded-postgres';
import { type Config, ConfigError } from '@svc/service/config/config';
import { errorMessage } from '@svc/service/config/errors';
import { systemClock } from '@svc/service/config/time';
import type { Logger } from 'pino';
import { useCommandDatabase } from '../command-database.ts';
import { explain } from '../explain.ts';
import { checkBackups } from './backups.ts';
import { type Finding, fail, ok } from './check.ts';
import { checkDatabase } from './database.ts';
import { checkHosts } from './hosts.ts';
import { checkDataDirectory, checkDisk, checkNode, checkService } from './machine.ts';
import { checkOpenId } from './openid.ts';
import { checkPooler } from './pooler.ts';
import { checkPostgres } from './postgres.ts';
import { checkSecrets } from './secrets.ts';

const CONNECTIONS = 2;

/** Runs all checks, in the order in which problems should be repaired. Changes nothing. */
export async function examine(readConfig: () => Config, log: () => Logger): Promise<readonly Finding[]> {
  const node = checkNode();
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const wrong = error.mistakes.map((text) => fail('settings', text, 'see docs/operations.md'));
    return [node, ...wrong];
  }
  const embedded = config.databaseUrl === undefined;
  return [
    node,
    ok('settings', 'all valid'),
    ...(embedded ? [await checkDataDirectory(config), await guarded('disk', () => checkDisk(config))] : []),
    await guarded('secrets', () => checkSecrets(config)),
    ...(config.backups === undefined ? [] : [await checkBackups(config.backups, systemClock())]),
    ...(await examineHosts(config)),
    ...(await examineDatabase(config, log)),
    ...(await checkOpenId(config)),
    ...(await checkService(config)),
  ];
}

async function examineDatabase(config: Config, log: () => Logger): Promise<readonly Finding[]> {
  if (config.databaseUrl === undefined && !(await hasDatabase(config.dataDir))) {
    return [ok('database', `there is none in ${resolve(config.dataDir)} yet; svcd start creates it`)];
  }
  try {
    // Without migrations, which CommandContext.withDatabase would apply.
    const user = { config, purpose: 'svcd doctor', log: log() };
    return await useCommandDatabase(user, { max: CONNECTIONS }, async ({ pool }) => [
      ...(await checkDatabase(pool, config, systemClock)),
      ...(config.databaseUrl === undefined ? [] : await checkPostgres(pool)),
      ...(await checkPooler(config)),
    ]);
  } catch (error) {
    if (error instanceof OtherMajorVersionError) return [fail('database', error.problem, error.remedy)];
    const where =
      config.databaseUrl === undefined ? 'see postgres.log in the data directory' : 'see SVC_DATABASE_URL';
    return [fail('database', explain(error).text, where)];
  }
}

/** Of the direct URL, if there is one: each of several poolers leads to the primary. */
async function examineHosts({ databaseUrl, databaseDirectUrl }: Config): Promise<readonly Finding[]> {
  try {
    return await checkHosts(databaseDirectUrl ?? databaseUrl);
  } catch (error) {
    return [fail('hosts', errorMessage(error), 'see docs/high-availability.md')];
  }
}

async function guarded(check: string, work: () => Promise<Finding>): Promise<Finding> {
  try {
    return await work();
  } catch (error) {
    return fail(check, errorMessage(error), 'see docs/operations.md');
  }
}
