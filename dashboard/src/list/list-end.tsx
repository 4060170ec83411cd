import { messageOf } from '../api/failure.ts';
import { counted, type Noun } from '../format/plural.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { type CursorList, isOutdated } from './cursor-list.ts';

export interface ListEndProps {
  readonly list: Pick<CursorList<unknown>, 'items' | 'more' | 'loadMore' | 'loadingMore' | 'moreError'>;
  /** Noun for the items. */
  readonly noun: Noun;
}

/** Shows below a list how many items are loaded, with a button to load more. */
export function ListEnd({ list: { items, more, loadMore, loadingMore, moreError }, noun }: ListEndProps) {
  const count = items?.length ?? 0;
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
          {`${counted(count, noun)}${more ? ' shown' : ''}`}
        </span>
        {more ? (
          <Button size="small" busy={loadingMore} onClick={() => void loadMore()}>
            {moreError === null ? 'Load more' : 'Try again'}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
