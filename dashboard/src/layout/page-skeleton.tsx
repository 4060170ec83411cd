import { Card } from '../ui/card.tsx';
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx';

/** While a page's code or first data is on its way. */
export const PageSkeleton = () => (
  <div className="mx-auto max-w-7xl px-4 py-5 sm:px-6 lg:py-7">
    <Skeleton className="mb-6 h-7 w-40" />
    <Card>
      <SkeletonRows />
    </Card>
  </div>
);
