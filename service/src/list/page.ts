import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import type { Position } from './cursor.ts';
import { DOC_SEPARATOR, type KeysetRow } from './keyset.ts';
import type { Direction } from './query.ts';

/** A page before its cursors are issued: items in the list's order, and the gaps at its two ends. */
export interface Page {
  /** JSON array of the items, one a line. */
  readonly data: string;
  readonly hasMore: boolean;
  /** Null on an empty page that was asked for without a cursor. */
  readonly start: Position | null;
  readonly end: Position | null;
  readonly total: number | undefined;
}

/**
 * Turns the rows of a keyset read into a page. Backwards is the inverted order and reversed rows, so the first
 * row read is the page's last item. One row more than the limit says that there is more.
 */
export function toPage(
  row: KeysetRow,
  limit: number,
  direction: Direction,
  from: Position | undefined,
): Page {
  const hasMore = row.rows > limit;
  const total = row.total !== null && row.total <= TOTAL_MAX_ITEMS ? row.total : undefined;
  const near = gap('before', row.first_key, row.first_id);
  const far = gap('after', row.last_key, row.last_id);
  if (row.docs === null || near === null || far === null) {
    return { data: '[]', hasMore: false, start: from ?? null, end: from ?? null, total };
  }
  const kept = hasMore ? row.docs.slice(0, row.docs.lastIndexOf(DOC_SEPARATOR)) : row.docs;
  if (direction === 'forward') return { data: `[${kept}]`, hasMore, start: near, end: far, total };
  const reversed = kept.split(DOC_SEPARATOR).reverse().join(DOC_SEPARATOR);
  return {
    data: `[${reversed}]`,
    hasMore,
    start: { ...far, side: 'before' },
    end: { ...near, side: 'after' },
    total,
  };
}

function gap(side: Position['side'], key: string | null, id: string | null): Position | null {
  return key === null || id === null ? null : { side, key, id };
}
