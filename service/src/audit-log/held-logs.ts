import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitMonitor } from '@svc/telemetry/commits';
import { BusyError } from '@svc/turns';
import type { Queryable } from '@svc/turns/lane';
import {
  GROUP_COMMIT_MAX_ENTRIES,
  HELD_LOG_LOCK_TIMEOUT_MS,
  HELD_LOG_PAUSE_MS,
  HELD_LOG_STATEMENT_TIMEOUT_MS,
} from '../config/limits.ts';
import { failedFor, isRefused } from '../database/errors.ts';
import type { AuditConnections } from '../database/lanes.ts';
import { inTransaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { type AuditQueue, type Group, rejectAll } from './audit-queue.ts';
import { writeChecked } from './write-checked.ts';
import { writeGroup } from './write-group.ts';

/** The most workspaces that are remembered as held. */
const HELD_MAX = 10_000;
/** For turns in the lane of writes, all held logs and the counting of usage together are one owner. */
export const LOG_OWNER = 'audit log';

/** Workspaces whose entries are written without the groups, so that they delay no other. */
export interface HeldLogs {
  has(workspaceId: string): boolean;
  /** Adds workspaces whose logs are held. */
  hold(workspaceIds: Iterable<string>): void;
  /**
   * Adds the workspaces of a group that failed: those whose logs are held, if it waited too long for a lock. Otherwise all,
   * as suspects: each is written alone, so only the entries at fault fail.
   */
  add(connections: Queryable, group: readonly string[], cause: unknown): Promise<void>;
  /** Writes the entries of held workspaces, until there are none. */
  write(): void;
  /** Resolves when the current writing ends. Undefined: nothing is being written. */
  readonly writing: Promise<void> | undefined;
}

/**
 * Each round first writes all held workspaces whose logs are free now, in a cluster those of one node. It waits for none,
 * however many are held. If none is free, one of them waits for its lock for a short time, so that a log that others write
 * all the time is reached too. So a workspace whose log becomes free waits a fraction of a second, not for the locks of
 * others. Then each suspect is written alone. All held workspaces together have one turn among the writes, and pause after
 * a round that wrote nothing: with a turn each, three held workspaces would stop the writes of all others. `onFree` is
 * called when workspaces are no longer held.
 */
export function createHeldLogs(
  { writes }: Pick<AuditConnections, 'writes'>,
  nodeOf: (workspaceId: string) => string | undefined,
  queue: AuditQueue,
  onFree: () => void,
  monitor?: CommitMonitor,
): HeldLogs {
  const held = new Set<string>();
  const suspects = new Set<string>();
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    for (let round = 0; ; round++) {
      const all = queue.waiting((workspaceId) => held.has(workspaceId));
      const node = nodeOf(all[round % all.length] ?? '');
      const locked = all.filter((workspaceId) => nodeOf(workspaceId) === node);
      const alone = queue.waiting((workspaceId) => suspects.has(workspaceId));
      if (locked.length + alone.length === 0) break;
      let progress = locked.length > 1 && (await writeSome(locked));
      if (!progress && locked.length > 0) progress = await writeSome(locked, locked[round % locked.length]);
      for (const workspaceId of alone) progress = (await writeSome([workspaceId], workspaceId)) || progress;
      if (!progress) await sleep(HELD_LOG_PAUSE_MS);
    }
    writing = undefined;
  };

  /** Writes the entries of those whose logs are free. Returns false if nothing was written. */
  const writeSome = async (workspaceIds: readonly string[], waitFor?: string): Promise<boolean> => {
    const wanted = new Set(workspaceIds);
    let taken: Group = new Map();
    try {
      const { settle, left } = await inTransaction(writes.of(LOG_OWNER), async (client) => {
        await client.query(limitTime());
        taken = queue.takeGroup(GROUP_COMMIT_MAX_ENTRIES, (workspaceId) => wanted.has(workspaceId));
        return writeGroup(
          writeChecked,
          client,
          taken,
          { waitFor, lockTimeoutMs: HELD_LOG_LOCK_TIMEOUT_MS },
          monitor,
        );
      });
      settle();
      queue.putBack(left);
      for (const workspaceId of taken.keys()) {
        if (left.has(workspaceId)) continue;
        held.delete(workspaceId);
        suspects.delete(workspaceId);
      }
      onFree();
      return left.size < taken.size;
    } catch (error) {
      const locked = failedFor(error, 'lock_not_available');
      // Without a log to wait for, the lock is another one.
      const several = taken.size > 1 && isRefused(error) && !(locked && waitFor !== undefined);
      if (several || locked || error instanceof BusyError) {
        queue.putBack(taken);
        if (several) suspect([...taken.keys()]);
        return false;
      }
      // If it failed before it took entries, none of these can be written.
      rejectAll(
        taken.size > 0 ? taken : queue.takeGroup(Number.POSITIVE_INFINITY, (id) => wanted.has(id)),
        error,
      );
      return true;
    }
  };

  const suspect = (group: readonly string[]): void => {
    // Workspaces that are still at fault are added again when their next statement fails.
    if (suspects.size >= HELD_MAX) suspects.clear();
    for (const workspaceId of group) {
      held.delete(workspaceId);
      suspects.add(workspaceId);
    }
  };

  return {
    has: (workspaceId) => held.has(workspaceId) || suspects.has(workspaceId),
    hold(workspaceIds) {
      if (held.size >= HELD_MAX) held.clear();
      for (const workspaceId of workspaceIds) held.add(workspaceId);
    },
    async add(connections, group, cause) {
      const waited = failedFor(cause, 'lock_not_available');
      const locked = waited ? await heldAmong(connections, group).catch(() => []) : [];
      if (locked.length === 0) return suspect(group);
      this.hold(locked);
    },
    write() {
      // Starts in a later microtask: writeAll may end at once, and must not clear `writing` before it is set.
      if (held.size + suspects.size > 0) writing ??= Promise.resolve().then(writeAll);
    },
    get writing() {
      return writing;
    },
  };
}

/** The workspaces whose log another transaction holds. Waits for no lock. */
async function heldAmong(client: Queryable, workspaceIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ workspace_id: string }>(selectFree(workspaceIds));
  const free = new Set(rows.map((row) => row.workspace_id));
  return workspaceIds.filter((id) => !free.has(id));
}

const selectFree = statement('free_logs', 'bulk')`
  select workspace_id from live_meters where workspace_id = any($1) for no key update skip locked`;

const limitTime = statement(
  'limit_held_log',
  'control',
)`select set_config('statement_timeout', '${HELD_LOG_STATEMENT_TIMEOUT_MS}', true)`;
