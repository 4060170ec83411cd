import { type Envelope, idsOf, type Params } from './lists.ts';

/** Gives the page of a list with these parameters. */
type GetPage = (params: Params) => Promise<Envelope>;

/** Whether what writes to the list has come to its end. */
interface Writing {
  readonly done: boolean;
}

/** Reads a list from its first record on, and what comes in, until there was nothing new after the writers were done. */
export const tailOf = (get: GetPage, writing: Writing): Promise<readonly string[]> =>
  follow(get, { sort: 'created-ascending' }, ({ pagination }) => pagination.endCursor, writing);

/** The same by asking again and again for what came before the newest page that there was; it begins with that. */
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
    // Without a cursor the newest page is read first, whatever the direction.
    const { direction, ...first } = params;
    const page = await get(cursor === undefined ? first : { ...first, direction, cursor });
    const descending = params['sort'] === undefined;
    seen.push(...(descending ? idsOf(page).toReversed() : idsOf(page)));
    cursor = next(page) ?? cursor;
    if (last && page.data.length === 0) return seen;
  }
}
