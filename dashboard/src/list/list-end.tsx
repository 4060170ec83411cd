import { useEffect } from 'react';
import { messageOf } from '../api/failure.ts';
import { formatNumber } from '../format/number.ts';
import { counted, type Noun } from '../format/plural.ts';
import { When } from '../format/when.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { type ContinuedList, isOutdated } from './continued-list.ts';
import { useContinuedSearch } from './continued-search.ts';
import { type Total, totalText } from './total.ts';

export interface ListEndProps {
  readonly list: ContinuedList;
  /** Noun for the items. */
  readonly noun: Noun;
  /**
   * The number of all items of the list.
   * @default that of the loaded pages, if they have it
   */
  readonly total?: Total | undefined;
}

/**
 * Shows below a list how many items are loaded, with a button to load more. If a search has not ended, shows how far it got,
 * and continues it. If all loaded items were removed, loads the next ones.
 */
export function ListEnd({ list, noun, total = knownTotal(list) }: ListEndProps) {
  const { items, more, loadMore, loadingMore, moreError, searchedTo } = list;
  const { searching, proceed } = useContinuedSearch(list);
  const loaded = items?.length ?? 0;
  const emptied = items?.length === 0 && more && searchedTo === undefined && moreError === null;
  useEffect(() => {
    if (emptied && !loadingMore) void loadMore();
  }, [emptied, loadingMore, loadMore]);
  const count = counted(loaded, noun);
  // A total that was read before the list may be lower.
  const all = total !== undefined && total.count > loaded ? totalText(total, noun) : undefined;
  const isSearch = more && searchedTo !== undefined;
  const shown = searching
    ? `Searching… ${count} so far`
    : isSearch
      ? `${count} found so far`
      : more
        ? all === undefined
          ? `${count} shown`
          : `${formatNumber(loaded)} of ${all} shown`
        : count;
  const label = isSearch ? 'Continue search' : 'Load more';
  return (
    <div className="flex flex-col items-center gap-3 border-t border-line px-4 py-3">
      {moreError === null ? null : (
        <Problem>
          {isOutdated(moreError)
            ? 'This list was loaded more than a day ago. Try again to load it from the start.'
            : messageOf(moreError)}
        </Problem>
      )}
      <div className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2">
        <span role="status" className="text-sm text-soft">
          {shown}
        </span>
        {isSearch ? (
          <span className="text-sm text-soft">
            Searched back to <When at={searchedTo} form="full" />
          </span>
        ) : null}
        {more ? (
          <Button
            size="small"
            className="print:hidden"
            busy={loadingMore || searching}
            onClick={() => (isSearch ? proceed() : void loadMore())}
          >
            {moreError === null ? label : 'Try again'}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

const knownTotal = ({ total }: ContinuedList): Total | undefined =>
  total === undefined ? undefined : { count: total, more: false };
