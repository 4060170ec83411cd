import type { Batch } from './batches.ts';
import type { ImportRun } from './import-run.ts';

/** The file differs from the one that the import began with. Nothing of it is written. */
export class OtherFile extends Error {
  /** Records that the import has added. */
  readonly inserted: number;

  constructor(inserted: number) {
    super('The file is not the one that the import began with.');
    this.inserted = inserted;
  }
}

/** The part of a file that earlier runs have written, so that this run skips it. */
export interface Continuation {
  /** Whether earlier runs have processed the batch. Throws OtherFile if the file differs up to this batch. */
  readonly covers: (batch: Batch) => boolean;
  /** Call at the end of the file. Throws OtherFile if the file of the earlier runs was longer. */
  readonly end: (recordsRead: number) => void;
}

export function continuationOf({ recordsRead, digest, inserted, finished }: ImportRun): Continuation {
  return {
    covers(batch) {
      if (batch.recordsRead < recordsRead) return true;
      if (batch.recordsRead > recordsRead) {
        if (finished) throw new OtherFile(inserted);
        return false;
      }
      if (digest === null || batch.digest?.equals(digest) !== true) throw new OtherFile(inserted);
      return true;
    },
    end(read) {
      if (read < recordsRead) throw new OtherFile(inserted);
    },
  };
}
