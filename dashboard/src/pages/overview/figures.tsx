import type { Overview, RangeName, Traffic } from '@svc/service/dashboard/wire';
import type { ReactNode } from 'react';
import { formatChange, formatNumber, formatPercent } from '../../format/number.ts';
import { counted } from '../../format/plural.ts';
import { formatUtcDay } from '../../format/time.ts';
import { Card } from '../../ui/card.tsx';

export interface FiguresProps {
  readonly traffic: Traffic;
  readonly month: Overview['month'];
  readonly range: RangeName;
}

/** The most important figures. */
export function Figures({ traffic: { total, before }, month, range }: FiguresProps) {
  const requests = total.live + total.test;
  const earlier = before.live + before.test;
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name="Requests" value={formatNumber(requests)}>
        {`${formatNumber(total.live)} live, ${formatNumber(total.test)} test`}
        {earlier === 0 ? null : (
          <span className="block">{`${formatChange(requests / earlier - 1)} from the previous ${RANGE_WORDS[range]}`}</span>
        )}
      </Figure>
      <Figure name="Failed" value={formatPercent(requests === 0 ? 0 : total.errors / requests)}>
        {`${counted(total.errors, ['response', 'responses'])} with 4xx or 5xx`}
      </Figure>
      <Figure name="Latency, p50" value={total.p50 === null ? 'No data' : `${formatNumber(total.p50)} ms`}>
        {total.p95 === null ? 'No requests' : `p95 ${formatNumber(total.p95)} ms`}
      </Figure>
      <Quota month={month} />
    </dl>
  );
}

const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '1y': 'year',
};

const WHOLE_PERCENT = 100;

function Quota({ month: { used, limit, forecast, endsAt } }: Pick<FiguresProps, 'month'>) {
  const lastDay = formatUtcDay(new Date(Date.parse(endsAt) - 1).toISOString());
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  const exceeds = limit !== null && forecast > limit;
  return (
    <Figure
      name="Live quota this month"
      value={
        <>
          {formatNumber(used)}
          <span className="text-base font-normal text-soft">
            {limit === null ? ' used, no limit' : ` of ${formatNumber(limit)}`}
          </span>
        </>
      }
    >
      {limit === null ? null : (
        <span aria-hidden className="mt-1 mb-1.5 block h-1.5 overflow-hidden rounded-full bg-line">
          <span
            className={`block h-full rounded-full ${exceeds ? 'bg-warn' : 'bg-accent'}`}
            style={{ width: `${share * WHOLE_PERCENT}%` }}
          />
        </span>
      )}
      <span className={exceeds ? 'font-medium text-warn' : undefined}>
        {`Forecast for ${lastDay}: ${formatNumber(forecast)}${exceeds ? ', over the quota' : ''}`}
      </span>
    </Figure>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly children: ReactNode;
}

const Figure = ({ name, value, children }: FigureProps) => (
  <Card className="flex flex-col px-3 py-3 sm:px-4">
    <dt className="text-sm text-soft">{name}</dt>
    <dd className="mt-0.5 flex grow flex-col">
      <span className="text-xl font-semibold tracking-tight tabular-nums">{value}</span>
      <span className="mt-0.5 text-sm text-soft">{children}</span>
    </dd>
  </Card>
);
