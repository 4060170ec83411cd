import { type Envelope, idsOf, type Params } from './lists.ts';

/** Reads the page of a list with these parameters. */
type GetPage = (params: Params) => Promise<Envelope>;

/** Whether the writers to the list have ended. */
interface Writing {
  readonly done: boolean;
}

/** Reads a list from its first record. Ends when a page is empty after the writers have ended. */
export const tailOf = (get: GetPage, writing: Writing): Promise<readonly string[]> =>
  follow(get, { sort: 'created-ascending' }, ({ pagination }) => pagination.endCursor, writing);

/** The same by polling: reads the newest page, then repeatedly the records that come before it. */
export const pollOf = (get: GetPage, writing: Writing): Promise<readonly string[]> =>
  follow(get, { direction: 'before' }, ({ pagination }) => pagination.startCursor, writing);

async function follow(
  get: GetPage,
  params: Params,
  next: (page: Envelope) => string | null,
  writing: Writing,
): Promise<readonly string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const last = writing.done;
    // Without a cursor, the first page is read, in every direction.
    const { direction, ...first } = params;
    const page = await get(cursor === undefined ? first : { ...first, direction, cursor });
    const descending = params['sort'] === undefined;
    seen.push(...(descending ? idsOf(page).toReversed() : idsOf(page)));
    cursor = next(page) ?? cursor;
    if (last && page.data.length === 0) return seen;
  }
}
