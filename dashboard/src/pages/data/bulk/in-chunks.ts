import { ApiFailure } from '../../../api/failure.ts';

/** The most records of a request. Below the limit of the API: progress shows early, and other writers wait less. */
export const CHUNK_RECORDS = 100;

export interface Refusal<Item> {
  readonly item: Item;
  /** Why the service has not written it. */
  readonly reason: string;
}

export interface Outcome<Item> {
  readonly done: readonly Item[];
  readonly refused: readonly Refusal<Item>[];
  /** The items that were not sent, or whose request failed as a whole. */
  readonly rest: readonly Item[];
  /** Why the rest was not written. Null: there is no rest, or the viewer has stopped. */
  readonly error: unknown;
}

export interface ChunkOptions<Item> {
  /** Writes all items or none. */
  readonly send: (items: readonly Item[]) => Promise<void>;
  /** Whether an item that is refused with this error is already as it should be. */
  readonly isDone: (error: ApiFailure) => boolean;
  /** Called after each request, with the number of items that are done or refused. */
  readonly onProgress: (count: number) => void;
  /** Stops before the next request. A running request ends first, so that its outcome is known. */
  readonly signal: AbortSignal;
}

/**
 * Sends items in chunks. If the service refuses some items of a chunk, sends the others of the chunk again. Any other error
 * ends the run.
 */
export async function inChunks<Item>(
  items: readonly Item[],
  { send, isDone, onProgress, signal }: ChunkOptions<Item>,
): Promise<Outcome<Item>> {
  const done: Item[] = [];
  const refused: Refusal<Item>[] = [];
  const rest = [...items];
  while (rest.length > 0 && !signal.aborted) {
    let chunk = rest.slice(0, CHUNK_RECORDS);
    try {
      await send(chunk);
    } catch (error) {
      const reasons = error instanceof ApiFailure ? refusalsIn(error) : new Map<number, string>();
      const failed = chunk.filter((_, index) => reasons.has(index));
      if (!(error instanceof ApiFailure) || failed.length === 0) return { done, refused, rest, error };
      for (const [index, item] of chunk.entries()) {
        const reason = reasons.get(index);
        if (reason === undefined) continue;
        if (isDone(error)) done.push(item);
        else refused.push({ item, reason });
      }
      const others = new Set(failed);
      rest.splice(0, chunk.length, ...chunk.filter((item) => !others.has(item)));
      chunk = [];
    }
    done.push(...chunk);
    rest.splice(0, chunk.length);
    onProgress(items.length - rest.length);
  }
  return { done, refused, rest, error: null };
}

/** The refusals in a message, by the index of the record: `/data/3: There is no …` or `/data/3/status must be …`. */
export function refusalsIn({ message }: ApiFailure): ReadonlyMap<number, string> {
  const parts = message
    .replace(/ And more\.$/, '')
    .split(/(?:^| )(?=\/data\/\d+[:/ ])/)
    .map((part) => /^\/data\/(\d+)[:/]? ?(.+)$/s.exec(part));
  const found = new Map<number, string>();
  for (const part of parts) {
    const [, index, reason] = part ?? [];
    if (index === undefined || reason === undefined) continue;
    const before = found.get(Number(index));
    found.set(Number(index), before === undefined ? reason : `${before} ${reason}`);
  }
  return found;
}
