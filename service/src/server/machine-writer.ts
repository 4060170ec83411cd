import type { CommitMonitor } from '@svc/telemetry/commits';
import type { Logger } from 'pino';
import { AUDIT_QUEUE_LIMITS } from '../audit-log/audit-queue.ts';
import { type AuditWriter, createAuditWriter } from '../audit-log/audit-writer.ts';
import { createAuditConnections } from '../database/lanes.ts';
import type { ServiceSettings } from './calls.ts';
import { logBroken } from './log-broken.ts';

/** Writes the audit entries of all workers. It has room for as many as they may send together. */
export interface MachineWriter extends Pick<AuditWriter, 'append'> {
  /** Resolves once every entry so far is written or has failed, and the connections are closed. */
  readonly close: () => Promise<void>;
}

export function openMachineWriter(
  {
    databaseUrl,
    databasePooler,
    workers,
  }: Pick<ServiceSettings, 'databaseUrl' | 'databasePooler' | 'workers'>,
  log: Logger,
  monitor: CommitMonitor,
): MachineWriter {
  const { entries, bytes, ...times } = AUDIT_QUEUE_LIMITS;
  const trail = createAuditConnections({
    url: databaseUrl,
    pooled: databasePooler === 'transaction',
    name: 'svcd entries',
    onError: logBroken(log, 'entry'),
  });
  const limits = { ...times, entries: entries * workers, bytes: bytes * workers };
  const writer = createAuditWriter(trail, { limits, monitor });
  return {
    append: writer.append,
    async close() {
      await writer.drain();
      await trail.end();
    },
  };
}
