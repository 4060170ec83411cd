import type { ExportResult } from '@opentelemetry/core';

/** What one process says about its exports, when it changes. */
export interface ExportState {
  readonly signal: 'traces' | 'metrics';
  /** Why the export failed. Null: exports work again. */
  readonly failure: string | null;
}

export type Report = (state: ExportState) => void;

interface Exporter<Data> {
  export(data: Data, done: (result: ExportResult) => void): void;
}

const FAILURE_MAX_CHARACTERS = 200;

/** Reports the first export that fails, and the first one that succeeds after that. Returns the exporter. */
export function reporting<Data, E extends Exporter<Data>>(
  exporter: E & Exporter<Data>,
  signal: ExportState['signal'],
  report: Report,
): E {
  const send = exporter.export.bind(exporter);
  let failing = false;
  exporter.export = (data, done) =>
    send(data, (result) => {
      const { error } = result;
      if ((error !== undefined) !== failing)
        report({ signal, failure: error === undefined ? null : textOf(error) });
      failing = error !== undefined;
      done(result);
    });
  return exporter;
}

/** The reason of a failure, without the response of the collector. */
function textOf(error: Error & { readonly code?: unknown }): string {
  const code = error.code === undefined ? '' : ` (${String(error.code)})`;
  return `${error.message}${code}`.slice(0, FAILURE_MAX_CHARACTERS);
}

interface OutageLog {
  warn(fields: object, text: string): void;
  info(text: string): void;
}

/** Logs the beginning and the end of an outage of traces or metrics once, however many processes report it. */
export function logOutages(log: OutageLog): Report {
  const failing = new Set<ExportState['signal']>();
  return ({ signal, failure }) => {
    if (failure !== null && !failing.has(signal))
      log.warn({ reason: failure }, `${signal} cannot be exported now; trying again`);
    if (failure === null && failing.has(signal)) log.info(`${signal} are exported again`);
    if (failure === null) failing.delete(signal);
    else failing.add(signal);
  };
}
