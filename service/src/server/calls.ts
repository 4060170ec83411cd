import type { Grant } from '@svc/rate-limiter';
import type { ExportState } from '@svc/telemetry/outages';
import type { ProcessMetrics } from '@svc/telemetry/process-metrics';
import type { AuditedRequest, Outcome } from '../audit-log/audited-request.ts';
import type { Config } from '../config/config.ts';

/** The calls between the processes of a service. They are types, because an interface would not be assignable to `Calls`. */

/** All settings of a serving process: the configuration, and the opened database, the secrets and the actual port. */
export interface ServiceSettings extends Config {
  readonly databaseUrl: string;
  readonly secrets: readonly string[];
  /** The file descriptor that every process of the service writes its log to. */
  readonly logFd: number;
}

/** One request to a bucket of the limiter. */
interface Take {
  readonly bucket: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly cost: number;
}

/** The calls from the primary to a worker. */
export type WorkerCalls = {
  /** Starts to serve. Returns false if the port is in use. Rejects with a message for the operator. */
  readonly run: (settings: ServiceSettings) => Promise<boolean>;
  /** Runs `Serving.close`. The process then exits when its channel is closed. */
  readonly close: (argument: null) => Promise<void>;
  readonly cut: (argument: null) => void;
  readonly collect: (argument: null) => Promise<ProcessMetrics>;
  /** Passes on topics that a process of any node has announced (signals/signals.ts). */
  readonly wake: (topics: readonly string[]) => void;
};

/** The calls from a worker to the primary. */
export type PrimaryCalls = {
  readonly take: (take: Take) => Promise<Grant>;
  /** `AuditWriter.append`: the primary writes the audit entries of all workers. */
  readonly append: (request: AuditedRequest) => Promise<Outcome>;
  /** `SignalChannel.send`: announces topics to all processes of all nodes. */
  readonly announce: (topics: readonly string[]) => void;
  /** The text of /metrics, aggregated over all workers. */
  readonly readMetrics: (argument: null) => Promise<string>;
  /** Says that exports of the worker begin to fail, or work again. */
  readonly reportExport: (state: ExportState) => void;
};
