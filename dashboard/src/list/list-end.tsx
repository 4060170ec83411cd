import { messageOf } from '../api/failure.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import type { CursorList } from './cursor-list.ts';

export interface ListEndProps {
  readonly list: Pick<CursorList<unknown>, 'items' | 'more' | 'loadMore' | 'loadingMore' | 'moreError'>;
  /** What is listed, plural. */
  readonly noun: string;
}

/** Below a list: how many are shown, and the way to more of them. */
export const ListEnd = ({ list: { items, more, loadMore, loadingMore, moreError }, noun }: ListEndProps) => (
  <div className="flex flex-col items-center gap-3 border-t border-line px-4 py-3">
    {moreError === null ? null : <Problem>{messageOf(moreError)}</Problem>}
    <div className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2">
      <span role="status" className="text-sm text-soft">
        {`${items?.length ?? 0} ${noun} shown${more ? '' : ', which is all'}`}
      </span>
      {more ? (
        <Button size="small" busy={loadingMore} onClick={() => void loadMore()}>
          {moreError === null ? 'Load more' : 'Try again'}
        </Button>
      ) : null}
    </div>
  </div>
);
