import { setTimeout as sleep } from 'node:timers/promises';
import { latencyBucket } from '@svc/latency-buckets';
import type { Logger } from 'pino';
import {
  USAGE_ENTRIES_MAX,
  USAGE_ENTRIES_OF_ONE_MAX,
  USAGE_INTERVAL_MS,
  USAGE_READER_WAIT_MS,
  USAGE_ROUNDS,
  USAGE_ROUNDS_IN_CLUSTER,
  USAGE_SEARCH_INTERVAL_MS,
  USAGE_WAITING_MAX,
  USAGE_WORKSPACES_MAX,
} from '../../config/limits.ts';
import { isRefused, UnknownOutcomeError } from '../../database/errors.ts';
import type { Lanes } from '../../database/lanes.ts';
import type { AuditedRequest } from '../audited-request.ts';
import { LOG_OWNER } from '../held-logs.ts';
import { countEntries, countUsageInShard } from './count-in-shard.ts';
import { type Counted, countUsage, searchMarks, type TestSum } from './count-usage.ts';

/**
 * Counts the usage of keys and the traffic of workspaces in the background: requests with live keys from their entries,
 * whichever process writes them, and requests with test keys, which have none, from memory.
 */
export interface UsageCounter {
  /**
   * Notes a request with a test key. At most those of about a second are lost, if the process is killed or the connection
   * is lost during the commit. It is not counted either if USAGE_WAITING_MAX workspaces or sums wait. It is never counted
   * twice.
   */
  addTest(request: AuditedRequest): void;
  /** Notes that a workspace may have a new entry. */
  addEntry(workspaceId: string): void;
  /**
   * Counts a workspace now, so that its figures contain the requests before this call: those of this process, and the
   * entries of all processes. If that fails or takes too long, it resolves, and the figures are older.
   */
  catchUp(workspaceId: string): Promise<void>;
  /** Counts what is left. Call it after the last request. */
  stop(): Promise<void>;
}

export function createUsageCounter(
  { writes, isDistributed, workspaceNodes }: Pick<Lanes, 'writes' | 'isDistributed' | 'workspaceNodes'>,
  log: Pick<Logger, 'warn'>,
): UsageCounter {
  /** The workspaces that are not counted completely, with the sums of their test requests by key and latency. */
  const waiting = new Map<string, Map<string, TestSum>>();
  let sumCount = 0;
  /** The statements that run, by workspace. Each resolves with the workspaces that have more entries. */
  const running = new Map<string, Promise<readonly string[]>>();
  let searchAfter = '';
  let searchAtMs = 0;
  let round = 0;

  const add = (workspaceId: string, sums: readonly TestSum[] = []): void => {
    const own = waiting.get(workspaceId) ?? new Map<string, TestSum>();
    if (!waiting.has(workspaceId) && waiting.size >= USAGE_WAITING_MAX) {
      // The next search finds its entries.
      searchAtMs = 0;
      return;
    }
    waiting.set(workspaceId, own);
    for (const sum of sums) {
      const name = `${sum.key_id} ${sum.bucket}`;
      const { requests, errors } = own.get(name) ?? { requests: 0, errors: 0 };
      if (requests === 0 && (sumCount >= USAGE_WAITING_MAX || own.size >= USAGE_WAITING_MAX / 2)) continue;
      if (requests === 0) sumCount += 1;
      own.set(name, { ...sum, requests: sum.requests + requests, errors: sum.errors + errors });
    }
  };

  const countAny = async (
    taken: ReadonlyMap<string, readonly TestSum[]>,
    entriesMax: number,
    waitFor: string | undefined,
  ): Promise<ReadonlyMap<string, Counted>> => {
    const connections = writes.of(waitFor ?? LOG_OWNER);
    if (!(await isDistributed(connections))) return countUsage(connections, taken, entriesMax, waitFor);
    const [[id = '', sums = []] = []] = taken;
    if (waitFor !== undefined || (taken.size === 1 && sums.length > 0))
      return new Map([[id, await countUsageInShard(connections, id, sums, entriesMax, id === waitFor)]]);
    const [tested, others] = divide(taken);
    const counted = await countEntries(connections, others, entriesMax);
    // Sums are never counted twice, because each has a commit of its own, later.
    return new Map([...counted, ...tested.map((each) => [each, 'nothing'] as const)]);
  };

  /**
   * The workspaces that one statement counts: at most USAGE_WORKSPACES_MAX, in a cluster of one node, or one with sums.
   * Sums are counted in each round, because only memory has them.
   */
  const groupsOf = async (all: boolean): Promise<(readonly string[])[]> => {
    const [tested, others] = divide(new Map([...waiting].map(([id, sums]) => [id, [...sums.values()]])));
    if (!(await isDistributed(writes.of(LOG_OWNER))))
      return chunks([...tested, ...(all ? others : ofRound(others))]);
    const alone = tested.map((id) => [id]);
    round += 1;
    if (!all && round % USAGE_ROUNDS_IN_CLUSTER !== 0) return alone;
    if (others.some((id) => workspaceNodes.of(id) === undefined))
      await workspaceNodes.find(writes.of(LOG_OWNER), others);
    return [...alone, ...[...Map.groupBy(others, workspaceNodes.of).values()].flatMap(chunks)];
  };

  /** Counts workspaces in one statement. Returns those that have more entries. What is not counted waits again. */
  const count = async (
    ids: readonly string[],
    entriesMax = Math.min(USAGE_ENTRIES_OF_ONE_MAX, Math.floor(USAGE_ENTRIES_MAX / ids.length)),
    waitFor?: string,
  ): Promise<readonly string[]> => {
    const taken = new Map(ids.map((id) => [id, [...(waiting.get(id)?.values() ?? [])]]));
    for (const [id, { length }] of taken) {
      waiting.delete(id);
      sumCount -= length;
    }
    const counting = countAny(taken, entriesMax, waitFor).then(
      (counted) => {
        for (const [id, sums] of taken) {
          if (counted.get(id) === 'nothing') add(id, sums);
          if (counted.get(id) === 'some') add(id);
        }
        return ids.filter((id) => counted.get(id) === 'some');
      },
      (error) => {
        // The sums may be committed. They must not be counted twice; entries never are.
        for (const [id, sums] of taken) add(id, error instanceof UnknownOutcomeError ? [] : sums);
        throw error;
      },
    );
    for (const id of ids) running.set(id, counting);
    try {
      return await counting;
    } finally {
      for (const id of ids) if (running.get(id) === counting) running.delete(id);
    }
  };

  /** Looks at the next workspaces. They may have entries of a process that was killed. */
  const search = async (): Promise<void> => {
    const first = searchAfter === '';
    if (first && performance.now() < searchAtMs) return;
    const { rows } = await writes
      .of(LOG_OWNER)
      .query<{ found: string[]; last: string | null }>(searchMarks(searchAfter));
    if (first) searchAtMs = performance.now() + USAGE_SEARCH_INTERVAL_MS;
    for (const workspaceId of rows[0]?.found ?? []) add(workspaceId);
    searchAfter = rows[0]?.last ?? '';
  };

  let failing = false;
  /**
   * Counts the workspaces of a round, some entries of each. Then, for a second, more entries of those that have more, and
   * the workspaces of groups that the database refused, each alone: one of them is locked, or its entries take too long.
   */
  const countAll = async (all = false): Promise<void> => {
    let failure: unknown;
    try {
      await search();
      const groups = await groupsOf(all);
      const first = groups.length;
      let endMs = Number.POSITIVE_INFINITY;
      for (const [i, group] of groups.entries()) {
        if (i === first) endMs = performance.now() + USAGE_INTERVAL_MS;
        if (performance.now() >= endMs) break;
        try {
          const more = await count(group);
          if (more.length > 0) groups.push(more);
        } catch (error) {
          if (!isRefused(error instanceof UnknownOutcomeError ? error.cause : error)) throw error;
          failure = error;
          if (i < first) groups.push(...group.map((id) => [id]));
        }
      }
    } catch (error) {
      failure = error;
    }
    if (failure !== undefined && !failing)
      log.warn({ err: failure }, 'usage and traffic cannot be counted now; trying again');
    failing = failure !== undefined;
  };

  let turn: Promise<void> | undefined;
  const timer = setInterval(() => {
    turn ??= countAll().finally(() => {
      turn = undefined;
    });
  }, USAGE_INTERVAL_MS);
  // The timer keeps no process running.
  timer.unref();

  const catchUp = async (workspaceId: string): Promise<void> => {
    // The statement that runs may have begun before the caller's requests. Another caller may have begun the next one.
    const counted = Promise.allSettled([running.get(workspaceId)]).then(
      () => running.get(workspaceId) ?? count([workspaceId], USAGE_ENTRIES_MAX, workspaceId),
    );
    await Promise.race([
      counted.catch(() => undefined),
      sleep(USAGE_READER_WAIT_MS, undefined, { ref: false }),
    ]);
  };

  return {
    addTest({ workspaceId, keyId, failed, durationMs }) {
      const bucket = latencyBucket(durationMs);
      add(workspaceId, [{ key_id: keyId, bucket, requests: 1, errors: failed ? 1 : 0 }]);
    },
    addEntry: (workspaceId) => add(workspaceId),
    catchUp,
    async stop() {
      clearInterval(timer);
      await Promise.allSettled([turn, ...running.values()]);
      searchAtMs = Number.POSITIVE_INFINITY;
      await countAll(true);
      // Another process may have counted these at the same time.
      await Promise.all([...waiting].filter(([, sums]) => sums.size > 0).map(([id]) => catchUp(id)));
    },
  };
}

/**
 * The workspaces with entries that a round counts: of many, those that have waited the longest. Half of the places stay free
 * for those that come until the next round.
 */
export const ofRound = (waiting: readonly string[]): readonly string[] =>
  waiting.slice(
    0,
    Math.max(
      USAGE_WORKSPACES_MAX,
      Math.ceil(waiting.length / USAGE_ROUNDS),
      waiting.length - USAGE_WAITING_MAX / 2,
    ),
  );

/** The workspaces with and without sums of test requests. */
function divide(workspaces: ReadonlyMap<string, readonly TestSum[]>): readonly [string[], string[]] {
  const has = (wanted: boolean): string[] =>
    [...workspaces].filter(([, sums]) => sums.length > 0 === wanted).map(([id]) => id);
  return [has(true), has(false)];
}

const chunks = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / USAGE_WORKSPACES_MAX) }, (_, i) =>
    ids.slice(i * USAGE_WORKSPACES_MAX, (i + 1) * USAGE_WORKSPACES_MAX),
  );
