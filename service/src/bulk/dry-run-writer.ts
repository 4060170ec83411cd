import { createHash } from 'node:crypto';
import { inTransaction } from '../database/pool.ts';
import { acceptInputs } from '../records/insert.ts';
import { beginImport, type ImportWriter } from './import-writer.ts';
import type { ImportTarget } from './target.ts';

const MICROS_PER_MS = 1_000;
/** Bytes of the hash by which ids of the file are recognized: 48 bits, so that a million ids have no two alike. */
const HASH_BYTES = 6;

/** The writer remembers at least this many of the newest ids, and at most twice as many: about 50 MB. */
const RECOGNIZED_IDS = 500_000;

/**
 * Compares the batches with the records of the workspace, as an import does, and writes nothing. It recognizes the ids of
 * at least the last `recognized` records that an import would have added.
 */
export function dryRunWriter(target: ImportTarget, recognized = RECOGNIZED_IDS): ImportWriter {
  const { pool, workspaceId, resource } = target;
  // The ids that an import would have added before. Numbers, because they take a third of the memory of texts.
  let added = new Set<number>();
  let older: ReadonlySet<number> = new Set();
  const before = {
    ids: {
      has: (id: string) => {
        const hash = hashOf(id);
        return added.has(hash) || older.has(hash);
      },
    },
    last: undefined,
    committed: Promise.resolve(),
  };
  return {
    atOnce: 1,
    write: async (inputs) => {
      const now = Date.now() * MICROS_PER_MS;
      const { accepted, ...others } = await inTransaction(pool, async (client) => {
        await beginImport(client, target);
        return acceptInputs(client, { workspaceId, resource }, inputs, now, before);
      });
      for (const { index } of accepted) {
        const id = inputs[index]?.['id'];
        if (typeof id === 'string') added.add(hashOf(id));
        if (added.size >= recognized) [older, added] = [added, new Set()];
      }
      return { ...others, inserted: accepted };
    },
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}

const hashOf = (id: string): number => createHash('sha1').update(id).digest().readUIntBE(0, HASH_BYTES);
