import { type Attempt, type History, isRefusal, isSuccess, outcomeOf } from '../history/history.ts';
import type { NamedToken } from '../history/recorder.ts';
import type { Times } from './cases.ts';

/** What clients saw of one case. Durations are in milliseconds. */
export interface Figures {
  readonly requests: number;
  readonly acknowledgedWrites: number;
  readonly refused503: number;
  /** Server errors other than 503. */
  readonly otherErrors: number;
  /** From the damage until another member is the primary, or the damage ends. */
  readonly promotedMs: number;
  /** From the damage until the primary confirms commits. */
  readonly readyMs: number;
  /**
   * From then until each node has answered a read and a write in a workspace with one writer per node, and any node a write
   * in one with many writers. Each of those waits for its turn, for seconds on a busy machine, also without a failover.
   */
  readonly backMs: number;
  /** The longest time without a successful response at either node. */
  readonly outageMs: number;
  /** Requests that began BACK_WITHIN_MS after the database was ready, or later, and got a server error. */
  readonly late: readonly string[];
  readonly webhooks: number;
}

/** The service answers again so soon after its database. */
export const BACK_WITHIN_MS = 3_000;

const SERVER_ERROR = 500;
const UNAVAILABLE = 503;

const isAnswered = ({ status }: Attempt): boolean => isSuccess(status) || isRefusal(status);

export function figuresOf(
  history: History,
  { damagedMs, promotedMs, readyMs, endMs: playEndMs }: Times & { readonly endMs: number },
  keyOfNode: readonly NamedToken[],
): Figures {
  const { attempts } = history;
  const written = new Set(
    history.writes.flatMap((write) => write.attempts.map(({ requestId }) => requestId)),
  );
  const firstAfter = (isMine: (token: string) => boolean, writes: boolean): number =>
    Math.min(
      ...attempts
        .filter((each) => isMine(each.token) && written.has(each.requestId) === writes)
        .filter((each) => isAnswered(each) && each.endMs > readyMs)
        .map(({ endMs }) => endMs),
    );
  const names = keyOfNode.map(({ name }) => name);
  const firsts = [
    ...names.flatMap((name) => [true, false].map((writes) => firstAfter((token) => token === name, writes))),
    firstAfter((token) => !names.includes(token), true),
  ];
  const answers = attempts.filter(isAnswered).map(({ endMs }) => endMs);
  const sorted = answers
    .filter((endMs) => endMs > damagedMs - BACK_WITHIN_MS && endMs < playEndMs)
    .sort((a, b) => a - b);
  const errors = attempts.filter(({ status }) => status !== undefined && status >= SERVER_ERROR);
  return {
    requests: attempts.length,
    acknowledgedWrites: history.writes.filter((write) => outcomeOf(write) === 'acknowledged').length,
    refused503: errors.filter(({ status }) => status === UNAVAILABLE).length,
    otherErrors: errors.filter(({ status }) => status !== UNAVAILABLE).length,
    promotedMs: promotedMs - damagedMs,
    readyMs: readyMs - damagedMs,
    backMs: Math.max(0, Math.max(...firsts) - readyMs),
    outageMs: Math.max(0, ...sorted.slice(1).map((endMs, i) => endMs - (sorted[i] ?? endMs))),
    late: errors
      .filter(({ startMs }) => startMs > readyMs + BACK_WITHIN_MS)
      .map(
        ({ requestId, startMs, status }) =>
          `${requestId}: ${status} after ${Math.round(startMs - readyMs)} ms`,
      ),
    webhooks: history.receivers.reduce((sum, { arrivals }) => sum + arrivals.length, 0),
  };
}

/** A table of figures, one row per case, for people. */
export function tableOf(rows: ReadonlyMap<string, Figures>): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const lines = [...rows].map(([name, figures]) => [
    name,
    seconds(figures.promotedMs),
    seconds(figures.readyMs),
    seconds(figures.backMs),
    seconds(figures.outageMs),
    ...[figures.requests, figures.refused503, figures.acknowledgedWrites, figures.webhooks].map(String),
  ]);
  const head = [
    ...['case', 'promoted after', 'commits after', 'service back after that', 'longest silence'],
    ...['requests', '503', 'writes acknowledged', 'webhooks'],
  ];
  const widths = head.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]?.length ?? 0)));
  return [head, ...lines]
    .map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`)
    .join('\n');
}
