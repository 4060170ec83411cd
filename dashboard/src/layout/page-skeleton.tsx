import { Card } from '../ui/card.tsx';
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx';

/** Shown while the code or the first data of a page loads. */
export const PageSkeleton = () => (
  <div className="mx-auto max-w-7xl px-4 py-5 sm:px-6 lg:py-7">
    <h1 className="sr-only">Loading</h1>
    <Skeleton className="mb-6 h-7 w-40" />
    <Card>
      <SkeletonRows />
    </Card>
  </div>
);
