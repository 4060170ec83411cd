import { messageOf } from '../api/failure.ts';
import { counted, type Noun } from '../format/counted.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { type CursorList, isOutdated } from './cursor-list.ts';

export interface ListEndProps {
  readonly list: Pick<CursorList<unknown>, 'items' | 'more' | 'loadMore' | 'loadingMore' | 'moreError'>;
  /** What is listed. */
  readonly noun: Noun;
}

/** Below a list: how many are shown, and the way to more of them. */
export function ListEnd({ list: { items, more, loadMore, loadingMore, moreError }, noun }: ListEndProps) {
  const count = items?.length ?? 0;
  return (
    <div className="flex flex-col items-center gap-3 border-t border-line px-4 py-3">
      {moreError === null ? null : (
        <Problem>
          {isOutdated(moreError)
            ? 'This list was read more than a day ago and cannot be continued. Try again reads it from the start.'
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
