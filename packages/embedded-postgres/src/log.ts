/** Logs a message, optionally with fields. */
type LogMethod = {
  (message: string): void;
  (fields: object, message: string): void;
};

/** A logger. Loggers of pino have this type. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', LogMethod>>;

/** The steps of a start, in order. If the cluster exists, the steps that create it are skipped. Logged at level debug. */
export const START_STEPS = [
  'locked',
  'password-created',
  'cluster-draft',
  'cluster-complete',
  'cluster-in-place',
  'server-spawned',
  'server-ready',
  'user-joined',
] as const;

/** The steps of a major upgrade, in order. Steps of the starts of both servers are between them. Logged at level debug. */
export const UPGRADE_STEPS = [
  'upgrade-locked',
  'old-server-ready',
  'new-cluster-ready',
  'settings-ready',
  'new-server-ready',
  'data-copied',
  'servers-stopped',
  'new-complete',
  'old-kept',
  'settings-in-place',
  'new-in-place',
] as const;

type Step = (typeof START_STEPS | typeof UPGRADE_STEPS)[number];

/** Logs that a start or an upgrade has reached this step. A process that is killed here leaves a usable data directory. */
export function reached(log: Log, step: Step): void {
  log.debug({ step }, `PostgreSQL: ${step}`);
}
