import { inTransaction } from '../database/pool.ts';
import { allocateTimestamps, lockClockShared, type Micros } from '../records/clock.ts';
import { addToCounts, countsOf } from '../records/counters.ts';
import { acceptInputs, copyAccepted, type InsertResult, texts } from '../records/insert.ts';
import type { RecordInput } from '../records/row.ts';
import { logImport } from './import-log.ts';
import { batchWriter, beginImport, type ImportWriter } from './import-writer.ts';
import type { ImportTarget } from './target.ts';

/** Ticks that are reserved at once, for a chain of batches: a tenth of a second of the clock. */
const CHAIN_TICKS = 100_000;
/** A batch of fewer is written sooner alone. */
const PARALLEL_LEAST = 1_000;

/** Batches one after another whose ticks were taken in a transaction before them. */
interface Chain {
  next: Micros;
  readonly last: Micros;
}

/** What a batch leaves to the one after it, once its ids are known: undefined when the chain ends with it. */
interface Link {
  readonly chain: Chain;
  /** Of the batch, which may not be committed. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Writes two batches at the same time, each in a transaction of its own, so that two cores maintain the indexes. Their
 * ticks are taken beforehand; then each transaction holds the clock in share mode (who wants to take ticks waits for
 * them), and they commit in the order of their ticks: created_at rises in commit order as ever. Where another writer
 * took the clock in between, or waits for it, the chain ends and the batch is written alone, in its turn.
 * For a pool of at least two connections that nobody else uses. Why: docs/decisions/0005.
 */
export function parallelWriter(target: ImportTarget): ImportWriter {
  const alone = batchWriter(target);
  let linked: Promise<Link | undefined> = Promise.resolve(undefined);
  let committed: Promise<unknown> = Promise.resolve();
  return {
    ...alone,
    atOnce: 2,
    write: (inputs, batch) => {
      const { promise, resolve, reject } = Promise.withResolvers<Link | undefined>();
      const before = { linked, committed };
      const write = async (): Promise<InsertResult> => {
        const result =
          inputs.length < PARALLEL_LEAST ? undefined : await writeLinked(target, inputs, before, resolve);
        if (result !== undefined) return result;
        await before.committed;
        const written = await alone.write(inputs, batch);
        resolve(undefined);
        return written;
      };
      const written = write();
      // Whoever comes next fails with it; when nobody comes, it was told by the batch itself.
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

/** Undefined: nothing is written, another writer has the clock or had it. */
async function writeLinked(
  target: ImportTarget,
  inputs: readonly RecordInput[],
  before: Before,
  link: (next: Link) => void,
): Promise<InsertResult | undefined> {
  const { pool, workspaceId, resource } = target;
  const previous = await before.linked;
  const chain = await chainFor(target, inputs.length, previous?.chain, before.committed);
  const first = chain.next;
  chain.next += inputs.length;
  return inTransaction(pool, async (client) => {
    await beginImport(client, target);
    if (!(await lockClockShared(client, workspaceId, chain.last))) return undefined;
    const { accepted, ...others } = await acceptInputs(client, target, inputs, first, previous?.ids);
    link({
      chain,
      ids: texts(
        accepted.map(({ values }) => values),
        'id',
      ),
    });
    const inserted = await copyAccepted(client, target, accepted, first);
    await before.committed;
    if (inserted.length > 0) {
      await addToCounts(client, workspaceId, resource, countsOf(resource, accepted));
      await logImport(client, target, inserted.length);
    }
    return { inserted, ...others };
  });
}

/** The chain of the batch before, or a new one after it. */
async function chainFor(
  target: ImportTarget,
  ticks: number,
  current: Chain | undefined,
  committed: Promise<unknown>,
): Promise<Chain> {
  if (current !== undefined && current.next + ticks - 1 <= current.last) return current;
  await committed;
  const count = Math.max(CHAIN_TICKS, ticks);
  const next = await inTransaction(target.pool, async (client) => {
    await beginImport(client, target);
    return allocateTimestamps(client, target.workspaceId, count);
  });
  return { next, last: next + count - 1 };
}
