import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { findService } from '@svc/embedded-postgres';
import { type Config, urlOf } from '@svc/service/config/config';
import { errorCode, errorMessage } from '@svc/service/config/errors';
import { ask } from '../running/ask.ts';
import { type Finding, fail, ok, warn } from './check.ts';
import { checkProxies } from './proxies.ts';

const BYTES_PER_MIB = 1024 * 1024;
/** With less free space than this, PostgreSQL may stop at any moment. */
const DISK_FAIL_MIB = 256;
/** With less free space than this, the check warns. */
const DISK_WARN_MIB = 2048;
const GROUP_MAY_WRITE = 0o020;
const OTHERS_MAY_WRITE = 0o002;
const SERVICE_TIMEOUT_MS = 3_000;

export const checkNode = (): Finding => ok('node', `Node ${process.versions.node}`);

/** Whether the data directory can be used or created. */
export async function checkDataDirectory(config: Config): Promise<Finding> {
  const path = resolve(config.dataDir);
  try {
    const existing = await firstThatExists(path);
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    if (existing !== path) return ok('data directory', `${path} does not exist yet; svcd start creates it`);
    const { mode, gid } = await stat(path);
    // The own group may write: Kubernetes gives it a volume with an fsGroup.
    const isOwn = [process.getgid?.(), ...(process.getgroups?.() ?? [])].includes(gid);
    const writers = isOwn ? OTHERS_MAY_WRITE : GROUP_MAY_WRITE | OTHERS_MAY_WRITE;
    if ((mode & writers) === 0) return ok('data directory', path);
    return warn('data directory', `other users can write to ${path}`, `run: chmod go-w ${path}`);
  } catch (error) {
    return fail(
      'data directory',
      errorMessage(error),
      'make this user the owner of the directory (chown), or set SVC_DATA_DIR to another one',
    );
  }
}

export async function checkDisk(config: Config): Promise<Finding> {
  const path = await firstThatExists(resolve(config.dataDir));
  const { bavail, bsize } = await statfs(path);
  const freeMib = Math.floor((bavail * bsize) / BYTES_PER_MIB);
  const text = `${freeMib} MiB free at ${path}`;
  if (freeMib < DISK_FAIL_MIB)
    return fail('disk', text, 'free disk space: the database stops when the disk is full');
  if (freeMib < DISK_WARN_MIB) return warn('disk', text, 'free disk space soon');
  return ok('disk', text);
}

async function firstThatExists(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return firstThatExists(dirname(path));
  }
}

/** Whether a service answers at the configured address, and which proxy mistakes it has counted. */
export async function checkService(config: Config): Promise<readonly Finding[]> {
  const service = await checkReady(config);
  if (service.text !== answersAt(config)) return [service];
  const url = `${urlOf(config.host, config.port)}/metrics`;
  try {
    const answer = await ask(url, { signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS) });
    return [service, checkProxies(answer.text)];
  } catch (error) {
    return [service, warn('proxies', `${url}: ${errorMessage(error)}`, 'see the log of the service')];
  }
}

const readyUrl = ({ host, port }: Config): string => `${urlOf(host, port)}/readyz`;
const answersAt = (config: Config): string => `answers at ${readyUrl(config)}`;

async function checkReady(config: Config): Promise<Finding> {
  const url = readyUrl(config);
  try {
    const answer = await ask(url, { signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS) });
    if (answer.ok) return (await checkHolder(config)) ?? ok('service', answersAt(config));
    return fail('service', `${url} answers ${answer.status}`, 'see the log of the service');
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (errorCode(cause) === 'ECONNREFUSED') return ok('service', `not running at ${url}`);
    return warn('service', `${url}: ${errorMessage(cause)}`, 'see the log of the service');
  }
}

/** Warns if the service that answers is another one: no service uses the data directory. */
async function checkHolder(config: Config): Promise<Finding | undefined> {
  if (config.databaseUrl !== undefined) return undefined;
  try {
    if ((await findService(config.dataDir)) !== undefined) return undefined;
  } catch {
    // This user cannot use the database, which the check of the database reports.
    return undefined;
  }
  return warn(
    'service',
    `another service ${answersAt(config)}: none uses ${resolve(config.dataDir)}`,
    'set SVC_DATA_DIR, SVC_HOST and SVC_PORT as for the service',
  );
}
