import type { Micros } from '@svc/exact-times/micros';
import { allocateTimestamps, lockClockShared } from '../changes/clock.ts';
import { inTransaction } from '../database/pool.ts';
import { copyAccepted, noteOfCreations } from '../records/copy.ts';
import { noteChanges } from '../records/counters.ts';
import type { Uncommitted } from '../records/id-order.ts';
import { acceptInputs, type InsertResult, texts } from '../records/insert.ts';
import type { RecordInput } from '../records/row.ts';
import { logImport } from './import-run.ts';
import { batchWriter, beginImport, type ImportWriter } from './import-writer.ts';
import type { BatchResult, ImportTarget } from './target.ts';

/** Timestamps that a chain of batches reserves at once: a tenth of a second of the clock. */
const CHAIN_TIMESTAMPS = 100_000;
/** A slow import reserves again after this time: by the clock, jobs/word-index.ts sees which workspaces are written. */
const CHAIN_MS = 20_000;
/** Smaller batches are faster without a parallel transaction. */
const PARALLEL_LEAST = 1_000;

/** Consecutive batches whose timestamps were reserved in an earlier transaction. */
interface Chain {
  next: Micros;
  readonly last: Micros;
  readonly begunAtMs: number;
}

/** What a batch passes to the next one once its ids are known; undefined if the chain ends. */
interface Link extends Omit<Uncommitted, 'committed'> {
  readonly chain: Chain;
}

/**
 * Writes two batches at the same time, each in its own transaction, so that two cores maintain the indexes. Timestamps
 * are reserved first. Then each transaction holds a shared lock on the clock, which keeps others from allocating
 * timestamps. The transactions commit in the order of their timestamps, so created_at still rises in commit order. If
 * another writer used the clock meanwhile or waits for it, the chain ends, and the batch is written after the earlier
 * ones. Needs a pool of at least two connections that nothing else uses. docs/decisions/0005 says why.
 */
export function parallelWriter(
  target: ImportTarget,
  chainTimestamps = CHAIN_TIMESTAMPS,
  nowMs: () => number = () => performance.now(),
): ImportWriter {
  const unlinked = batchWriter(target);
  let linked: Promise<Link | undefined> = Promise.resolve(undefined);
  let committed: Promise<unknown> = Promise.resolve();
  return {
    ...unlinked,
    atOnce: 2,
    write: (inputs, batch) => {
      const { promise, resolve, reject } = Promise.withResolvers<Link | undefined>();
      const before = { linked, committed };
      const write = async (): Promise<BatchResult> => {
        const result =
          inputs.length < PARALLEL_LEAST
            ? undefined
            : await writeLinked(target, [chainTimestamps, nowMs], inputs, before, resolve);
        if (result !== undefined) return result;
        await before.committed;
        const written = await unlinked.write(inputs, batch);
        resolve(undefined);
        return written;
      };
      const written = write();
      // The next batch fails with this one. If there is none, the error of `written` is enough.
      written.catch(reject);
      promise.catch(() => undefined);
      [linked, committed] = [promise, written];
      return written;
    },
  };
}

interface Before {
  readonly linked: Promise<Link | undefined>;
  readonly committed: Promise<unknown>;
}

/** Returns undefined, and writes nothing, if another writer used the clock meanwhile or waits for it. */
async function writeLinked(
  target: ImportTarget,
  reservation: readonly [chainTimestamps: number, nowMs: () => number],
  inputs: readonly RecordInput[],
  before: Before,
  link: (next: Link) => void,
): Promise<InsertResult | undefined> {
  const { pool, workspaceId, resource } = target;
  const previous = await before.linked;
  const chain = await chainFor(target, reservation, inputs.length, previous?.chain, before.committed);
  const first = chain.next;
  chain.next += inputs.length;
  return inTransaction(pool, async (client) => {
    await beginImport(client, target);
    if (!(await lockClockShared(client, workspaceId, chain.last))) return undefined;
    // Before another chain, the previous batch is committed, and other writers may have had the clock after it.
    const uncommitted = previous?.chain === chain ? { ...previous, committed: before.committed } : undefined;
    const { accepted, last, ...others } = await acceptInputs(client, target, inputs, first, uncommitted);
    link({
      chain,
      last,
      ids: texts(
        accepted.map(({ values }) => values),
        'id',
      ),
    });
    const inserted = await copyAccepted(client, target, accepted, first);
    const note = noteOfCreations(resource, accepted, inserted, first);
    await before.committed;
    if (inserted.length > 0) {
      await noteChanges(client, workspaceId, resource, note);
      await logImport(client, target, inserted.length);
    }
    return { inserted, ...others };
  });
}

/** The chain of the previous batch, or a new chain once that batch is committed. */
async function chainFor(
  target: ImportTarget,
  [chainTimestamps, nowMs]: readonly [number, () => number],
  timestamps: number,
  current: Chain | undefined,
  committed: Promise<unknown>,
): Promise<Chain> {
  const isRecent = current !== undefined && nowMs() - current.begunAtMs < CHAIN_MS;
  if (isRecent && current.next + timestamps - 1 <= current.last) return current;
  await committed;
  const count = Math.max(chainTimestamps, timestamps);
  const next = await inTransaction(target.pool, async (client) => {
    await beginImport(client, target);
    return allocateTimestamps(client, target.workspaceId, count);
  });
  return { next, last: next + count - 1, begunAtMs: nowMs() };
}
