import { useQuery } from '@tanstack/react-query';
import { monthQuery } from '../../api/workspace.ts';
import { formatNumber, formatPercent } from '../../format/number.ts';
import { When } from '../../format/when.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

/** How much of the live quota this month has used. */
export function QuotaUse({ workspaceId }: { readonly workspaceId: string }) {
  const { data } = useQuery(monthQuery(workspaceId));
  if (data === undefined) return <Skeleton className="mb-4 h-9 w-full" />;
  const { used, limit, endsAt } = data;
  const share = limit === null ? null : limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <div className="mb-4">
      <div className="flex flex-wrap justify-between gap-x-4">
        <span>
          <strong className="font-semibold tabular-nums">{formatNumber(used)}</strong>
          {limit === null ? ' live requests this month' : ` of ${formatNumber(limit)} used this month`}
          {share === null ? null : <span className="text-soft"> ({formatPercent(share)})</span>}
        </span>
        <span className="text-soft">
          Resets <When at={endsAt} form="utcDay" />
        </span>
      </div>
      {share === null ? null : (
        <svg
          viewBox="0 0 100 2"
          preserveAspectRatio="none"
          className="mt-2 h-1.5 w-full rounded-full"
          aria-hidden="true"
        >
          <rect width="100" height="2" className="fill-line" />
          <rect width={share * 100} height="2" className={share >= 0.9 ? 'fill-bad-solid' : 'fill-accent'} />
        </svg>
      )}
    </div>
  );
}
