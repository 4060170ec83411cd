import { SvcError, SvcTimeoutError } from '../../errors.ts';

/** The longest result of a tool, because a model reads all of it. */
export const RESULT_MAX_CHARACTERS = 50_000;

/** The longest time of a call, with its retries. Most clients give up after 60 seconds. */
export const CALL_MAX_MS = 50_000;

/** Settles like `work`. Its signal is also aborted after {@link CALL_MAX_MS}, with `SvcTimeoutError` as its reason. */
export async function inTime<T>(ending: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new SvcTimeoutError(CALL_MAX_MS)), CALL_MAX_MS);
  try {
    return await work(AbortSignal.any([ending, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** What makes a page shorter: the number of its items, and the names of their fields, with a comma between them. */
interface PageSize {
  readonly limit: unknown;
  readonly fields?: unknown;
}

/**
 * Reads a page that fits into a result: if it is too long, it reads fewer items from the same place, so its cursors are
 * exact. An item that is too long by itself has only its id. A `limit` that is no number is sent as it is.
 */
export async function readBounded(
  { limit, fields }: PageSize,
  read: (size: PageSize) => Promise<unknown>,
): Promise<unknown> {
  let page = await read({ limit, fields });
  for (let items = Number(limit); !fits(page); page = await read({ limit: items, fields })) {
    // A page may have fewer items than its limit. With a limit above their number, it would be the same page again.
    items = Math.min(items, countOf(page));
    if (!(items > 1)) return read({ limit: 1, fields: 'id' });
    const share = RESULT_MAX_CHARACTERS / JSON.stringify(page).length;
    items = Math.max(1, Math.min(items - 1, Math.floor(items * share)));
  }
  return page;
}

/** The number of items of a page. */
const countOf = (page: unknown): number => {
  const { data }: { readonly data?: unknown } = Object(page);
  return Array.isArray(data) ? data.length : 1;
};

/** Whether a result is short enough. */
export const fits = (result: unknown): boolean => JSON.stringify(result).length <= RESULT_MAX_CHARACTERS;

export const tooLong = (): SvcError =>
  new SvcError(
    `The result has more than ${RESULT_MAX_CHARACTERS} characters. Read it with the client library or the command line.`,
  );
