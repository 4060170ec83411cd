import { setTimeout as delay } from 'node:timers/promises';
import { createRepeats } from '@svc/turns/attempts';
import { createRounds, type Outcome } from '@svc/turns/rounds';
import type pg from 'pg';
import type { Logger } from 'pino';
import { limitAgain, limitFirst } from '../changes/publish-events.ts';
import { detectDistribution } from '../database/citus/detect.ts';
import { failedWork } from '../database/errors.ts';
import { pagesOf } from '../database/pages.ts';
import { inTransaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { RECORD_RESOURCES } from '../resources/index.ts';

const PAUSE_MS = 5_000;
/** The most workspaces that one statement selects. */
const WORKSPACES_MAX = 1_000;
/**
 * The fewest and the most records that one statement adds. It locks the clock of the workspace meanwhile. If that took less
 * than the time, the next one adds twice as many, otherwise half: long texts take thirty times as long as short ones.
 */
const CHUNK_RECORDS_MIN = 32;
const CHUNK_RECORDS_MAX = 512;
const CHUNK_MS = 10;
/** After this time, or so many records, of a workspace, others have their turn. */
const VISIT_MS = 2_000;
const VISIT_RECORDS = 32 * CHUNK_RECORDS_MAX;
/** How much longer than a statement the pause after it is, so that the job takes about a fifth of one core. */
const PAUSE_RATIO = 4;
/** A workspace whose clock has advanced so recently is busy, maybe with an import, whose clock advances every 20 seconds. */
const BUSY = '25 seconds';
const BUSY_PAUSE_MS = 20_000;
/** After so many full turns in a row, too many of its records are in no block, so its pause is shorter. */
const FULL_TURNS = 5;
const LATE_PAUSE_MS = 5_000;
/** For so long, a workspace is visited after its clock has advanced. */
const WRITING = '1 minute';

const JOB = 'background: words of records of all workspaces that were written';

const selectTime = statement('time_of_words', JOB)`select (now() - interval '${WRITING}')::text as since`;
const selectWritten = statement('written_workspaces', JOB)`
  select workspace_id as id, last_at > now() - interval '${BUSY}' as busy from workspace_clocks
  where workspace_id > $1 and last_at > $2 order by workspace_id limit ${WORKSPACES_MAX}`;
const indexWords = statement('index_words', JOB)`select * from index_words($1, $2, $3, $4)`;
const SEARCHED = RECORD_RESOURCES.filter(({ list }) => list.searched).map(({ list }) => list.relation);

/**
 * Returns a function that adds the words of new records to the index of the search (docs/decisions/0040), of each workspace
 * that was written since its last call, in statements that commit one by one. Several nodes may call it at the same time. It
 * tells `onFailure` each failure of a workspace, throws if the database is away, and resolves with whether to go on at once.
 */
export function createWordIndexer(
  pool: pg.Pool,
  onFailure: (error: unknown, workspaceId: string) => unknown,
  nowMs: () => number = () => performance.now(),
): (signal?: AbortSignal) => Promise<boolean> {
  const rounds = createRounds();
  const isDistributed = detectDistribution();
  const waiting = new Set<string>();
  /** When busy workspaces were visited, and how many of their last turns were full. */
  let visits = new Map<string, { readonly atMs: number; readonly full: number }>();
  let since = '-infinity';
  let hasMore = false;

  const findWritten = async (): Promise<void> => {
    const { rows: times } = await pool.query<{ since: string }>(selectTime());
    const recent: typeof visits = new Map();
    const pages = pagesOf<{ id: string; busy: boolean }>(WORKSPACES_MAX, (last) =>
      pool.query(selectWritten(last?.id ?? '', since)),
    );
    for await (const rows of pages) {
      for (const { id, busy } of rows) {
        waiting.add(id);
        const visited = busy ? visits.get(id) : undefined;
        if (visited !== undefined) recent.set(id, visited);
      }
    }
    visits = recent;
    since = times[0]?.since ?? since;
  };

  /** Returns how many records it has added, and how long it had locked the clock. Null: others have locked it. */
  const add = (id: string, most: number, waits: boolean): Promise<{ added: number | null; ms: number }> =>
    inTransaction(pool, async (client) => {
      await client.query((waits ? limitAgain : limitFirst)());
      return (await client.query(indexWords(id, SEARCHED, most, waits))).rows[0];
    });

  const visit = async (id: string, waits: boolean, signal: AbortSignal | undefined): Promise<Outcome> => {
    const { atMs, full } = visits.get(id) ?? { atMs: -Infinity, full: 0 };
    if (nowMs() - atMs < (full < FULL_TURNS ? BUSY_PAUSE_MS : LATE_PAUSE_MS)) return 'done';
    const endMs = performance.now() + VISIT_MS;
    let most = CHUNK_RECORDS_MIN;
    for (let sum = 0; sum < VISIT_RECORDS && performance.now() < endMs && signal?.aborted !== true; ) {
      const begunAt = performance.now();
      const { added, ms } = await add(id, most, waits || sum > 0);
      await delay((performance.now() - begunAt) * PAUSE_RATIO, undefined, { signal }).catch(() => undefined);
      if (added === null) return 'busy';
      sum += added;
      visits.set(id, { atMs: nowMs(), full: added < most ? 0 : full + 1 });
      if (added < most) {
        waiting.delete(id);
        return 'done';
      }
      most = Math.max(CHUNK_RECORDS_MIN, Math.min(ms < CHUNK_MS ? 2 * most : most / 2, CHUNK_RECORDS_MAX));
    }
    hasMore = true;
    return 'done';
  };

  return async (signal) => {
    if (await isDistributed(pool)) return false;
    await findWritten();
    hasMore = false;
    const ended = await rounds.run({
      ownersAfter: async (last) => [...waiting].filter((id) => id > last).sort(),
      attempt: (id, waits) => visit(id, waits, signal),
      failed: failedWork(onFailure),
    });
    return hasMore || !ended;
  };
}

/** Indexes words until the signal. */
export async function keepIndexing(pool: pg.Pool, log: Logger, signal: AbortSignal): Promise<void> {
  const attempt = createRepeats((name, error) => log.warn({ err: error }, `${name}; trying again`));
  const index = createWordIndexer(pool, (error, workspaceId) =>
    log.warn({ err: error, workspaceId }, 'the words of a workspace cannot be indexed; trying again'),
  );
  while (!signal.aborted) {
    let hasMore = false;
    await attempt('words of records cannot be indexed now', async () => {
      hasMore = await index(signal);
    });
    if (!hasMore) await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}
