/**
 * The pages of a list in the order of its keys: `read` gets the last row before the page. A page with fewer than `pageRows`
 * rows is the last one, and an empty page is left out. The signal ends it before the next page.
 */
export async function* pagesOf<Row>(
  pageRows: number,
  read: (last: Row | undefined) => Promise<{ readonly rows: readonly Row[] }>,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[], void> {
  for (let last: Row | undefined; signal?.aborted !== true; ) {
    const { rows } = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < pageRows) return;
    last = rows.at(-1);
  }
}
