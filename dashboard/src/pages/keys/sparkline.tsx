import type { DayOfKey } from '@svc/service/dashboard/wire';
import { formatNumber } from '../../format/number.ts';

const HEIGHT = 20;
const BAR = 7;
const GAP = 2;
/** Keeps a day with few requests visible next to a day with many. */
const BAR_MIN = 2;

export interface SparklineProps {
  readonly days: readonly DayOfKey[];
}

/** One bar per day, and the sum. */
export function Sparkline({ days }: SparklineProps) {
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  const sum = days.reduce((total, { requests }) => total + requests, 0);
  const title = days.map(({ day, requests }) => `${day} (UTC): ${formatNumber(requests)}`).join('\n');
  const height = (requests: number): number =>
    requests === 0 ? 1 : Math.max(BAR_MIN, Math.round((requests / most) * HEIGHT));
  return (
    <span className="inline-flex items-end gap-2.5" title={title}>
      <svg width={days.length * (BAR + GAP)} height={HEIGHT} aria-hidden="true" className="shrink-0">
        {days.map(({ day, requests }, index) => (
          <rect
            key={day}
            x={index * (BAR + GAP)}
            y={HEIGHT - height(requests)}
            width={BAR}
            height={height(requests)}
            rx={1}
            className={requests === 0 ? 'fill-line' : 'fill-accent'}
          />
        ))}
      </svg>
      <span className="leading-4 text-soft tabular-nums">{formatNumber(sum)}</span>
    </span>
  );
}
