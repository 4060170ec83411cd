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

type StartStep = (typeof START_STEPS)[number];

/** Logs that a start has reached this step. A process that is killed here leaves a data directory that starts. */
export function reached(log: Log, step: StartStep): void {
  log.debug({ step }, `start of PostgreSQL: ${step}`);
}
