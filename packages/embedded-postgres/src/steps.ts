import type { Log } from './server.ts';

/** The steps of a start, in their order; those of the cluster come when there is none. Logged at the level debug. */
export const START_STEPS = [
  'locked',
  'password-made',
  'cluster-draft',
  'cluster-complete',
  'cluster-in-place',
  'server-spawned',
  'server-ready',
  'user-joined',
] as const;

export type StartStep = (typeof START_STEPS)[number];

/** Tells that a start has come so far. A process that is killed here leaves a data directory that starts. */
export function reached(log: Pick<Log, 'debug'>, step: StartStep): void {
  log.debug({ step }, `start of PostgreSQL: ${step}`);
}
