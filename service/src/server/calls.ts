import type { Registry } from 'prom-client';
import type { Grant } from '../quota/limiter.ts';
import type { ServiceSettings } from './settings.ts';

/** What the processes of a service ask of each other. Types, not interfaces: they are used as `Calls`. */

/** One request to a bucket of the limiter. */
export interface Take {
  readonly bucket: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly cost: number;
}

/** One process's metrics, before they are added up. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What a worker offers to the primary. */
export type WorkerCalls = {
  /** Begins to serve. Fails with a message for the operator. */
  readonly run: (settings: ServiceSettings) => Promise<void>;
  /** Ends as `Serving.close` does; the process then ends by itself. */
  readonly close: (argument: null) => Promise<void>;
  readonly cut: (argument: null) => void;
  readonly collect: (argument: null) => Promise<ProcessMetrics>;
};

/** What the primary offers to its workers. */
export type PrimaryCalls = {
  readonly take: (take: Take) => Promise<Grant>;
  /** The text of /metrics, of all workers together. */
  readonly readMetrics: (argument: null) => Promise<string>;
};
