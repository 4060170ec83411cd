import type { ReactNode } from 'react';
import { formatNumber, formatPercent } from '../../format/number.ts';
import { wholeShares } from './whole-shares.ts';

interface Share {
  readonly value: string;
  readonly label: string;
  readonly count: number;
  /** Class of the background colour. */
  readonly className: string;
}

export interface ShareBarProps {
  readonly shares: readonly Share[];
  /** Links the label of a share to what it counts. */
  readonly link: (share: Share) => ReactNode;
}

const WHOLE_PERCENT = 100;

/** Parts of a whole as a bar, with a legend. */
export function ShareBar({ shares, link }: ShareBarProps) {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  const parts = wholeShares(shares.map(({ count }) => count));
  return (
    <div className="flex flex-col gap-3">
      <div aria-hidden className="flex h-2.5 gap-0.5 overflow-hidden rounded-full">
        {shares.map(({ label, count, className }) =>
          count === 0 ? null : (
            <span
              key={label}
              className={className}
              style={{ width: `${(count / total) * WHOLE_PERCENT}%` }}
            />
          ),
        )}
      </div>
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {shares.map((share, i) => (
          <li key={share.label} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2.5 rounded-xs ${share.className}`} />
            {link(share)}
            <span className="font-medium tabular-nums">{formatNumber(share.count)}</span>
            <span className="text-soft tabular-nums">{formatPercent(parts[i] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
