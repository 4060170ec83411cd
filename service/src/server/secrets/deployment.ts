import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { makeSecretFile, readSecretFile, secretFileOf } from './file.ts';

/** The deployment's secrets: from SVC_SECRET, or else from the data directory, where one is created if there is none. */
export async function deploymentSecrets(
  config: Pick<Config, 'secrets' | 'dataDir'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<readonly string[]> {
  if (config.secrets !== undefined) return config.secrets;
  const path = secretFileOf(config.dataDir);
  const found = await readSecretFile(config.dataDir);
  if (found?.exposed === true) log.warn(`other users can read ${path}; run: chmod 600 ${path}`);
  if (found !== undefined) return [found.secret];
  const { secret } = await makeSecretFile(config.dataDir);
  log.info(`created the deployment's secret in ${path}; include it in your backups`);
  return [secret];
}
