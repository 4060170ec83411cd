import { nearest } from '@svc/sdk/near';
import { OIDC_SETTINGS } from './oidc.ts';

/** The value of a port variable that Kubernetes sets: `tcp://10.96.0.10:80`. */
export const LINKED_PORT = /^(tcp|udp|sctp):\/\//;

/** All settings, including those of single commands. */
export const SETTINGS: readonly string[] = [
  'SVC_HOST',
  'SVC_PORT',
  'SVC_WORKERS',
  'SVC_DATA_DIR',
  'SVC_DATABASE_URL',
  'SVC_DATABASE_POOLER',
  'SVC_DATABASE_DIRECT_URL',
  'SVC_DATABASE_CONNECTIONS',
  'SVC_SECRET',
  'SVC_PUBLIC_URL',
  'SVC_TRUST_PROXY',
  'SVC_CORS_ORIGINS',
  'SVC_LOG_LEVEL',
  'SVC_FAILED_AUTH_PER_MINUTE',
  'SVC_LOG_RETENTION_DAYS',
  'SVC_CHANGE_RETENTION_DAYS',
  'SVC_WEBHOOK_NETWORKS',
  'SVC_BACKUP_DIR',
  'SVC_BACKUP_EVERY_HOURS',
  'SVC_BACKUP_KEEP',
  ...OIDC_SETTINGS,
  'SVC_OWNER_PASSWORD',
];

/**
 * The variables that the documents tell people to set for other programs: the client library, `svc`, receivers of webhooks
 * and Compose. People export them in the shell in which they run the service, so they are no mistake.
 */
export const IGNORED: readonly string[] = [
  'SVC_API_KEY',
  'SVC_BASE_URL',
  'SVC_LOG',
  'SVC_PROFILE',
  'SVC_WEBHOOK_SECRET',
  'SVC_IMAGE',
];

const PREFIX = 'SVC_';
const withoutPrefix = (name: string): string => name.slice(PREFIX.length);

/** A text for each `SVC_…` variable that is not a setting, not ignored, and not set by Kubernetes. */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = new Set([...SETTINGS, ...IGNORED]);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !isServiceLink(name, env[name]))
    .map((name) => {
      const meant = nearest(withoutPrefix(name), SETTINGS.map(withoutPrefix));
      const hint = meant === undefined ? '' : ` Did you mean ${PREFIX}${meant}?`;
      return `${name} is not a setting.${hint} Settings: ${SETTINGS.join(', ')}.`;
    });
}

/** Whether Kubernetes sets this variable for a Service named `svc` or `svc-…`, in every pod of its namespace. */
function isServiceLink(name: string, value: string | undefined): boolean {
  if (/^SVC_(\w+_)?SERVICE_(HOST|PORT|PORT_\w+)$/.test(name)) return true;
  if (/^SVC_(\w+_)?PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true;
  return /^SVC_\w+_PORT$/.test(name) && LINKED_PORT.test(value ?? '');
}
