import { classes } from './classes.ts';

/** A grey placeholder for content that loads. */
export const Skeleton = ({ className }: { readonly className?: string }) => (
  <span aria-hidden className={classes('block animate-pulse rounded bg-line', className ?? 'h-4 w-full')} />
);

export interface SkeletonRowsProps {
  readonly rows?: number;
  readonly columns?: number;
}

/** A placeholder for a table. */
export const SkeletonRows = ({ rows = 6, columns = 4 }: SkeletonRowsProps) => (
  <div role="status" aria-label="Loading" className="divide-y divide-line">
    {numbers(rows).map((row) => (
      <div key={row} className="flex gap-6 px-4 py-3.5">
        {numbers(columns).map((column) => (
          <Skeleton key={column} className={column === 0 ? 'h-3.5 grow-2' : 'h-3.5 grow'} />
        ))}
      </div>
    ))}
  </div>
);

const numbers = (count: number): readonly number[] => [...Array(count).keys()];
