import type { RangeName } from '@svc/service/dashboard/range';
import type { Overview, Traffic } from '@svc/service/dashboard/wire-overview';
import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';

export interface FiguresProps {
  readonly traffic: Traffic;
  readonly month: Overview['month'];
  readonly range: RangeName;
}

const whole = new Intl.NumberFormat();
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
/** Quotas are of calendar months in UTC, wherever the viewer is. */
const monthDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const signed = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});

/** What there is to know at a glance. */
export function Figures({ traffic: { total, before }, month, range }: FiguresProps) {
  const requests = total.live + total.test;
  const earlier = before.live + before.test;
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name="Requests" value={whole.format(requests)}>
        {`${whole.format(total.live)} live, ${whole.format(total.test)} test`}
        {earlier === 0 ? null : (
          <span className="block">{`${signed.format(requests / earlier - 1)} on the ${RANGE_WORDS[range]} before`}</span>
        )}
      </Figure>
      <Figure name="Failed" value={percent.format(requests === 0 ? 0 : total.errors / requests)}>
        {`${whole.format(total.errors)} answered with 4xx or 5xx`}
      </Figure>
      <Figure name="Latency, p50" value={total.p50 === null ? 'none yet' : `${whole.format(total.p50)} ms`}>
        {total.p95 === null ? 'There were no requests.' : `p95 ${whole.format(total.p95)} ms`}
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
  const last = monthDay.format(Date.parse(endsAt) - 1);
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  const exceeds = limit !== null && forecast > limit;
  return (
    <Figure
      name="Live quota this month"
      value={
        <>
          {whole.format(used)}
          <span className="text-base font-normal text-soft">
            {limit === null ? ' used, no limit' : ` of ${whole.format(limit)}`}
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
        {`At this pace ${whole.format(forecast)} by ${last}${exceeds ? ': more than the quota' : ''}`}
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
