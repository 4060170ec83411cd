import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** The metrics of one process. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Metrics of these types only rise. If a sum of them falls, Prometheus counts all of it again. */
const RISING: ReadonlySet<string> = new Set(['counter', 'histogram']);

/**
 * Adds up the metrics of several processes. A process that does not answer in time counts with its last answer, and one
 * that has ended with the last values of its counters, so that no counter falls.
 */
export function createProcessMetrics<Process extends object>(
  read: (process: Process) => Promise<ProcessMetrics>,
  timeoutMs: number,
): {
  readonly collect: (processes: Iterable<Process>) => Promise<Registry>;
  /** Keeps the counters of a process that has ended. */
  readonly end: (process: Process) => Promise<void>;
} {
  const last = new Map<Process, ProcessMetrics>();
  /** Without an answer yet. A process that does not answer is not asked again. */
  const asked = new Map<Process, Promise<void>>();
  let ended: ProcessMetrics = [];
  let ending = Promise.resolve();

  const ask = async (process: Process): Promise<void> => {
    try {
      const metrics = await read(process);
      // Not if it has ended meanwhile: its counters are kept already.
      if (asked.has(process)) last.set(process, metrics);
    } catch {
      // It counts with its last answer.
    } finally {
      asked.delete(process);
    }
  };
  return {
    async collect(processes) {
      const present = [...processes];
      for (const process of present) if (!asked.has(process)) asked.set(process, ask(process));
      const late = delay(timeoutMs, undefined, { ref: false });
      await Promise.race([Promise.all(present.map((process) => asked.get(process))), late]);
      await ending;
      return AggregatorRegistry.aggregate([ended, ...last.values()]);
    },
    end(process) {
      const metrics = (last.get(process) ?? []).filter(({ type }) => RISING.has(String(type)));
      last.delete(process);
      asked.delete(process);
      ending = ending.then(async () => {
        ended = await AggregatorRegistry.aggregate([ended, metrics]).getMetricsAsJSON();
      });
      return ending;
    },
  };
}
