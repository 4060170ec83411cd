import { setTimeout as sleep } from 'node:timers/promises';
import {
  GROUP_COMMIT_MAX_ENTRIES,
  GROUP_STATEMENT_TIMEOUT_MS,
  HELD_LOG_LOCK_TIMEOUT_MS,
  HELD_LOG_PAUSE_MS,
} from '../config/limits.ts';
import { failedFor } from '../database/errors.ts';
import type { Queryable } from '../database/lane.ts';
import type { Lanes } from '../database/lanes.ts';
import { inTransaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { BusyError } from '../database/turns.ts';
import { appendRequests } from './append-requests.ts';
import { type AuditQueue, type Group, rejectAll, settle } from './audit-queue.ts';

/** The most workspaces that are remembered as held. */
const HELD_MAX = 10_000;
/** For turns in the lane of writes, all held logs together are one owner. */
const OWNER = 'held logs';

/** Workspaces whose log is held by another transaction, or refuses an entry. Their entries are written without a group. */
export interface HeldLogs {
  readonly workspaces: ReadonlySet<string>;
  /**
   * Adds the workspace whose statement failed, and the others of the group whose log is held: each of them would delay
   * a group.
   */
  add(workspaceId: string, cause: unknown, group: Group): Promise<void>;
  /** Writes the entries of held workspaces, until there are none. */
  write(): void;
  /** Resolves when the current writing ends. Undefined: nothing is being written. */
  readonly writing: Promise<void> | undefined;
}

/**
 * Held workspaces take turns, each with its own transaction. First come those whose log is free now; one statement finds
 * them without waiting, however many are held. If none is free, one of them waits for its lock for a short time, so that a
 * log that others write all the time is reached too. So a workspace whose log becomes free waits a fraction of a second,
 * not for the locks of others. All held workspaces together have one turn among the writes, and pause after an attempt
 * that wrote nothing: with a turn each, three held workspaces would stop the writes of all others. `onFree` is called when
 * a workspace is no longer held.
 */
export function createHeldLogs(
  { trail, writes }: Pick<Lanes, 'trail' | 'writes'>,
  queue: AuditQueue,
  onFree: () => void,
): HeldLogs {
  const held = new Set<string>();
  let writing: Promise<void> | undefined;

  const writeAll = async (): Promise<void> => {
    for (let round = 0; ; round++) {
      const waiting = queue.waiting((workspaceId) => held.has(workspaceId));
      if (waiting.length === 0) break;
      if (!(await writeOne(waiting, waiting[round % waiting.length] ?? ''))) await sleep(HELD_LOG_PAUSE_MS);
    }
    writing = undefined;
  };

  /**
   * Writes the entries of the first of these workspaces whose log is free, or else of `patient`. Returns false if it got
   * no lock or no connection in time.
   */
  const writeOne = async (workspaceIds: readonly string[], patient: string): Promise<boolean> => {
    let taken: Group = new Map();
    try {
      const written = await inTransaction(writes.of(OWNER), async (client) => {
        const free = await lockOneLog(client, workspaceIds, patient);
        taken = queue.takeGroup(GROUP_COMMIT_MAX_ENTRIES, (workspaceId) => workspaceId === free);
        const pending = taken.get(free);
        // Undefined: meanwhile, the entries were rejected because they had waited for too long.
        const outcomes = pending && (await appendRequests(client, free, pending, HELD_LOG_LOCK_TIMEOUT_MS));
        return () => {
          held.delete(free);
          if (pending && outcomes) settle(pending, outcomes);
        };
      });
      written();
      onFree();
      return true;
    } catch (error) {
      if (failedFor(error, 'lock_not_available') || error instanceof BusyError) {
        queue.putBack(taken);
        return false;
      }
      // If it failed before it took entries, no held log can be written: reject all of their entries.
      if (taken.size === 0) taken = queue.takeGroup(Number.POSITIVE_INFINITY, (id) => held.has(id));
      rejectAll(taken, error);
      return true;
    }
  };

  return {
    workspaces: held,
    async add(workspaceId, cause, group) {
      // Workspaces that are still held are added again when their next statement fails.
      if (held.size >= HELD_MAX) held.clear();
      held.add(workspaceId);
      if (group.size === 1 || !failedFor(cause, 'lock_not_available')) return;
      // If this fails, so does the next group, which rejects the requests that wait.
      for (const each of await heldAmong(trail, [...group.keys()]).catch(() => [])) held.add(each);
    },
    write() {
      // Starts in a later microtask: writeAll may end at once, and must not clear `writing` before it is set.
      if (held.size > 0) writing ??= Promise.resolve().then(writeAll);
    },
    get writing() {
      return writing;
    },
  };
}

/** The workspaces whose log another transaction holds. Waits for no lock. */
async function heldAmong(client: Queryable, workspaceIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ workspace_id: string }>(selectHeld(workspaceIds));
  return rows.map((row) => row.workspace_id);
}

const selectHeld = statement('held_logs', 'request')`
  with free as materialized (
    select workspace_id from live_meters where workspace_id = any($1) for no key update skip locked
  )
  select workspace_id from live_meters where workspace_id = any($1) and workspace_id not in (select workspace_id from free)`;

/**
 * Locks the first of these logs that is free, until the transaction ends. If none is free, waits for the log of `patient`;
 * fails with `lock_not_available` if it stays held. First sets the time limits of the transaction's statements to those of
 * a group's statements.
 */
async function lockOneLog(
  client: Queryable,
  workspaceIds: readonly string[],
  patient: string,
): Promise<string> {
  await client.query(limitTime());
  const { rows } = await client.query<{ workspace_id: string }>(lockFree(workspaceIds));
  const [free] = rows;
  if (free !== undefined) return free.workspace_id;
  await client.query(lockLog(patient));
  return patient;
}

const limitTime = statement('limit_held_log_time', 'control')`
  select set_config('statement_timeout', '${GROUP_STATEMENT_TIMEOUT_MS}', true),
    set_config('lock_timeout', '${HELD_LOG_LOCK_TIMEOUT_MS}', true)`;

const lockFree = statement('lock_free_log', 'request')`
  select workspace_id from live_meters where workspace_id = any($1)
  order by array_position($1::text[], workspace_id) limit 1 for no key update skip locked`;

const lockLog = statement('lock_log', 'request')`
  select from live_meters where workspace_id = $1 for no key update`;
