import { createFairQueue, type FairQueue, type FairQueueLimits } from '@svc/fair-queue';
import { BusyError } from '@svc/turns';
import type { AuditedRequest, Outcome } from './audited-request.ts';

/** A request that waits for its entry. */
export interface Pending extends AuditedRequest {
  /** When it was added (`performance.now()`). */
  readonly sinceMs: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests that wait for their entries, by workspace. */
export type Group = ReadonlyMap<string, readonly Pending[]>;

/** Resolves requests with their outcomes. Call it after the commit. */
export function settle(pending: readonly Pending[], outcomes: readonly Outcome[]): void {
  pending.forEach(({ resolve, reject }, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined) reject(new Error('A request has no outcome.'));
    else resolve(outcome);
  });
}

export function rejectAll(group: Group, error: unknown): void {
  for (const pending of group.values()) for (const { reject } of pending) reject(error);
}

export const AUDIT_QUEUE_LIMITS: FairQueueLimits = {
  entries: 5_000,
  bytes: 16 * 1024 * 1024,
  waitMs: 5_000,
  stalledMs: 3_000,
};

/** The requests that wait for their entries. The workspaces are the owners. */
export type AuditQueue = FairQueue<Pending>;

export const createAuditQueue = (limits: FairQueueLimits): AuditQueue =>
  createFairQueue<Pending>(limits, {
    ownerOf: ({ workspaceId }) => workspaceId,
    bytesOf: sizeOf,
    addedAt: ({ sinceMs }) => sinceMs,
    onLate: ({ reject }) =>
      reject(new BusyError(`an audit entry was not written within ${limits.waitMs} ms`)),
  });

/** The memory of an entry without its texts. */
const ENTRY_BYTES = 512;

/** The approximate memory of an entry. */
export function sizeOf({ entry }: AuditedRequest): number {
  let bytes = ENTRY_BYTES;
  for (const value of Object.values(entry ?? {})) {
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += JSON.stringify(value).length;
  }
  return bytes;
}
