import { Counter, Gauge, type Registry } from 'prom-client';

/** Measures the scheduled backups of a node. Times are in seconds. */
export interface BackupMetrics {
  /** Sets when the newest complete backup was begun (Unix time); 0 if there is none. */
  readonly succeeded: (atSeconds: number) => void;
  readonly failed: () => void;
}

/** Registers the metrics of scheduled backups, one of which is due every `intervalSeconds`. */
export function measureBackups(registry: Registry, intervalSeconds: number): BackupMetrics {
  const registers = [registry];
  const newest = new Gauge({
    name: 'svc_backup_last_success_timestamp_seconds',
    help: 'When the newest complete backup in SVC_BACKUP_DIR was begun; 0 if there is none.',
    registers,
  });
  const failures = new Counter({
    name: 'svc_backup_failures_total',
    help: 'Scheduled backups of this node that failed.',
    registers,
  });
  new Gauge({
    name: 'svc_backup_interval_seconds',
    help: 'The time between two scheduled backups: SVC_BACKUP_EVERY_HOURS.',
    registers,
  }).set(intervalSeconds);
  return { succeeded: (atSeconds) => newest.set(atSeconds), failed: () => failures.inc() };
}
