import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Tracing } from './tracing.ts';

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** An audit entry that is committed. */
interface Committed {
  /** When it began to wait (`performance.now()`). */
  readonly sinceMs: number;
  /** Of the span of its request. Undefined: the request is not traced. */
  readonly traceparent?: string | undefined;
}

/** The audit entries that wait. */
interface Queue {
  readonly entries: number;
  readonly oldestMs: number;
}

/** Measures how audit entries are written. */
export interface CommitMonitor {
  readonly watch: (queue: Queue) => void;
  /** Call it after the commit of entries that were written together. `startMs`: before their statement. */
  readonly committed: (entries: readonly Committed[], startMs: number) => void;
}

/**
 * Adds the metrics of the audit queue to the registry. A commit is part of the traces of all its requests: each gets a span
 * of its own, which has the size of the commit. A span that links to all of them would show the requests of one workspace
 * in the traces of another.
 */
export function monitorCommits(registry: Registry, tracing: Tracing | undefined): CommitMonitor {
  let queue: Queue | undefined;
  const registers = [registry];
  new Gauge({
    name: 'svc_audit_queue_entries',
    help: 'Audit entries of requests that wait to be written. Their responses wait too.',
    registers,
    collect() {
      this.set(queue?.entries ?? 0);
    },
  });
  new Gauge({
    name: 'svc_audit_queue_oldest_seconds',
    help: 'How long the oldest of the waiting audit entries has waited.',
    registers,
    collect() {
      this.set((queue?.oldestMs ?? 0) / 1000);
    },
  });
  const sizes = new Histogram({
    name: 'svc_audit_commit_entries',
    help: 'Audit entries that were committed together.',
    buckets: BATCH_SIZES,
    registers,
  });
  const durations = new Histogram({
    name: 'svc_audit_commit_duration_seconds',
    help: 'Time from the statement of a group of audit entries to its commit.',
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  return {
    watch(watched) {
      queue = watched;
    },
    committed(entries, startMs) {
      const endMs = performance.now();
      sizes.observe(entries.length);
      durations.observe((endMs - startMs) / 1000);
      if (tracing === undefined) return;
      for (const { traceparent, sinceMs } of entries) {
        if (traceparent === undefined) continue;
        const waitedMs = Math.max(0, Math.round(startMs - sinceMs));
        const attributes = { 'svc.audit.entries': entries.length, 'svc.audit.waited_ms': waitedMs };
        tracing.record({ name: 'audit commit', parent: traceparent, startMs, endMs, attributes });
      }
    },
  };
}
