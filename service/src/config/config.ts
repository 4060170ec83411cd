import { availableParallelism } from 'node:os';
import { readCorsOrigins } from '@svc/http-content/cors-origins';
import type { TrustedProxies } from '@svc/ip-addresses/proxies';
import { readTrustProxy } from '@svc/ip-addresses/trust-proxy';
import { HostsError, splitHosts } from '@svc/postgres-hosts';
import { poolerMistakes, withVerifiedTls } from '@svc/postgres-sessions';
import { readTelemetrySettings, type TelemetrySettings } from '@svc/telemetry/settings';
import { readNetworks } from '@svc/webhook-sender/setting';
import {
  CHANGE_RETENTION_DAYS_DEFAULT,
  CONNECTIONS_MIN,
  LOG_RETENTION_DAYS_DEFAULT,
  SECRET_MIN_CHARACTERS,
} from './limits.ts';
import { type OidcSettings, readOidcSettings } from './oidc.ts';
import { counted } from './plural.ts';
import { LINKED_PORT, unknownSettings } from './setting-names.ts';
import { HOUR_MS } from './time.ts';

/** The settings of one process, read once from the environment, then frozen. docs/operations.md lists them all. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Processes that share the port. */
  readonly workers: number;
  readonly dataDir: string;
  /** The URL of an external PostgreSQL. Undefined: the embedded one in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Whether `databaseUrl` leads to a pooler in transaction mode. */
  readonly databasePooler: 'none' | 'transaction';
  /** The URL for work that needs sessions, such as jobs. Undefined without a pooler. */
  readonly databaseDirectUrl: string | undefined;
  /** The most database connections of a process. */
  readonly databaseConnections: number;
  /** The first secret issues tokens and cursors; all are accepted. Undefined: the secret in `dataDir`. */
  readonly secrets: readonly string[] | undefined;
  /** The address at which people reach the service. */
  readonly publicUrl: string;
  /** Whether SVC_PUBLIC_URL is set. Otherwise `publicUrl` is made of host and port. */
  readonly publicUrlGiven: boolean;
  readonly trustProxy: TrustedProxies;
  /** The origins whose pages may use /v1 in a browser. Empty: none. */
  readonly corsOrigins: readonly string[];
  readonly logLevel: LogLevel;
  /** Failed authentications per minute and address. */
  readonly failedAuthPerMinute: number;
  readonly logRetentionDays: number;
  /** How long changes are kept in the feed. */
  readonly changeRetentionDays: number;
  /** Networks that receivers of webhooks may be in, besides the public internet, separated by commas. */
  readonly webhookNetworks: string;
  /** The scheduled backups. Undefined: there are none. */
  readonly backups: BackupSettings | undefined;
  /** Sign-in with OpenID Connect. Undefined: only with passwords. */
  readonly oidc: OidcSettings | undefined;
  /** The export of traces and metrics. Undefined: no OTLP endpoint is set. */
  readonly telemetry: TelemetrySettings | undefined;
}

export interface BackupSettings {
  readonly directory: string;
  readonly everyMs: number;
  /** The most complete backups in the directory. */
  readonly keep: number;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const PORT_MAX = 65_535;
const CONNECTIONS_DEFAULT = 13;
/** An embedded PostgreSQL needs as much processor time as the workers, so they get half of the cores. */
const workersDefault = (externalDatabase: boolean): number =>
  externalDatabase ? availableParallelism() : Math.max(1, Math.floor(availableParallelism() / 2));

/** All mistakes in the environment, one line each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(
      `${counted(mistakes.length, 'mistake', 'mistakes')} in the settings:\n${mistakes.map((m) => `  ${m}`).join('\n')}`,
    );
    this.mistakes = mistakes;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the `SVC_…` variables, and those of OpenTelemetry. Throws {@link ConfigError} with all mistakes. */
export function readConfig(env: Environment): Config {
  const mistakes: string[] = [];
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);

  const kubernetesHint = (name: string): string => {
    const value = text(name) ?? '';
    if (!LINKED_PORT.test(value)) return '';
    return ' Kubernetes sets it for a Service named svc: set enableServiceLinks: false for the pod, or set SVC_PORT.';
  };
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    mistakes.push(`${name} must be an integer from ${min} to ${max}, not "${value}".${kubernetesHint(name)}`);
    return fallback;
  };
  const choice = <T extends string>(name: string, fallback: T, allowed: readonly T[]): T => {
    const value = text(name);
    if (value === undefined) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) mistakes.push(`${name} must be one of ${allowed.join(', ')}, not "${value}".`);
    return found ?? fallback;
  };
  const url = (name: string, protocols: readonly string[], several = false): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const mistake = mistakeOfUrl(value, protocols, several);
    if (mistake !== undefined) mistakes.push(`${name} ${mistake}`);
    return value;
  };
  const databaseAt = (name: string): string | undefined => {
    const value = url(name, ['postgres:', 'postgresql:'], true);
    return value === undefined ? undefined : withVerifiedTls(value);
  };

  const host = text('SVC_HOST') ?? '127.0.0.1';
  const port = integer('SVC_PORT', 8080, 0, PORT_MAX);
  const databaseUrl = databaseAt('SVC_DATABASE_URL');
  const secrets = readSecrets(text('SVC_SECRET'), databaseUrl !== undefined, mistakes);
  const directory = text('SVC_BACKUP_DIR');
  if (directory === undefined) {
    for (const name of ['SVC_BACKUP_EVERY_HOURS', 'SVC_BACKUP_KEEP'])
      if (text(name) !== undefined) mistakes.push(`${name} needs SVC_BACKUP_DIR.`);
  }
  const everyMs = integer('SVC_BACKUP_EVERY_HOURS', 24, 1, 168) * HOUR_MS;
  const keep = integer('SVC_BACKUP_KEEP', 7, 1, 1_000);
  const config: Config = {
    host,
    port,
    workers: integer('SVC_WORKERS', workersDefault(databaseUrl !== undefined), 1, 64),
    dataDir: text('SVC_DATA_DIR') ?? './data',
    databaseUrl,
    databasePooler: choice('SVC_DATABASE_POOLER', 'none', ['none', 'transaction']),
    databaseDirectUrl: databaseAt('SVC_DATABASE_DIRECT_URL'),
    databaseConnections: integer('SVC_DATABASE_CONNECTIONS', CONNECTIONS_DEFAULT, CONNECTIONS_MIN, 100),
    secrets,
    publicUrl: url('SVC_PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, '') ?? urlOf(host, port),
    publicUrlGiven: text('SVC_PUBLIC_URL') !== undefined,
    trustProxy: readTrustProxy(text('SVC_TRUST_PROXY'), mistakes),
    corsOrigins: readCorsOrigins(text('SVC_CORS_ORIGINS'), mistakes),
    logLevel: choice('SVC_LOG_LEVEL', 'info', LOG_LEVELS),
    failedAuthPerMinute: integer('SVC_FAILED_AUTH_PER_MINUTE', 300, 1, 1_000_000),
    logRetentionDays: integer('SVC_LOG_RETENTION_DAYS', LOG_RETENTION_DAYS_DEFAULT, 1, 36_500),
    changeRetentionDays: integer('SVC_CHANGE_RETENTION_DAYS', CHANGE_RETENTION_DAYS_DEFAULT, 1, 36_500),
    webhookNetworks: readNetworks(text('SVC_WEBHOOK_NETWORKS') ?? '', mistakes),
    backups: directory === undefined ? undefined : { directory, everyMs, keep },
    oidc: readOidcSettings(text, mistakes),
    telemetry: readTelemetrySettings(env, mistakes),
  };
  mistakes.push(...poolerMistakes(text));
  mistakes.push(...unknownSettings(env));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.freeze(config);
}

/** The mistake of a URL, without the URL, which may contain a password. `several`: it may name several hosts. */
function mistakeOfUrl(value: string, protocols: readonly string[], several: boolean): string | undefined {
  try {
    const urls = several ? splitHosts(value) : [value];
    const parsed = urls.map((one) =>
      URL.parse(one.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, '$1socket')),
    );
    if (parsed.every((found) => found !== null && protocols.includes(found.protocol))) return undefined;
    return `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`;
  } catch (error) {
    if (error instanceof HostsError) return error.message;
    throw error;
  }
}

function readSecrets(
  value: string | undefined,
  required: boolean,
  mistakes: string[],
): readonly string[] | undefined {
  if (value === undefined) {
    if (required)
      mistakes.push(
        'SVC_SECRET must be set if SVC_DATABASE_URL is set: all nodes need the same secret. Create one with: openssl rand -base64 32',
      );
    return undefined;
  }
  const secrets = value.split(',').map((secret) => secret.trim());
  if (secrets.some((secret) => secret.length < SECRET_MIN_CHARACTERS)) {
    mistakes.push(
      `SVC_SECRET must be one secret of at least ${SECRET_MIN_CHARACTERS} characters, or several, separated by commas (the first one issues).`,
    );
  }
  return [...new Set(secrets)];
}

/** Whether the host to listen on means all addresses of the machine. */
export const isEveryAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/**
 * The URL of a host and port. An IPv6 host gets brackets. "All addresses" is not an address that a browser can open, so
 * it becomes `localhost`, which works on this machine, also for the published port of a container.
 */
export function urlOf(host: string, port: number): string {
  const reachable = isEveryAddress(host) ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
