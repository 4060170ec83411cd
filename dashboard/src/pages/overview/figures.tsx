import type { Overview, RangeName } from '@svc/service/dashboard/wire';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TrafficOfRange } from '../../api/overview.ts';
import { formatChange, formatNumber, formatPercent } from '../../format/number.ts';
import { counted } from '../../format/plural.ts';
import { formatUtcDay } from '../../format/time.ts';
import { Card } from '../../ui/card.tsx';
import { logSince } from './log-link.ts';
import { LogLink } from './requests-in-log.tsx';

export interface FiguresProps {
  readonly workspaceId: string;
  readonly traffic: TrafficOfRange;
  readonly month: Overview['month'];
}

/** The most important figures, with links to what is behind them. */
export function Figures({ workspaceId, traffic, month }: FiguresProps) {
  const { range, total, before, spans } = traffic;
  const from = spans[0]?.at;
  const inLog = (failed: boolean, text: string, value: string) =>
    from === undefined ? (
      value
    ) : (
      <LogLink workspaceId={workspaceId} search={logSince(from, failed)} hint={text} className={LINK_CLASS}>
        {value}
      </LogLink>
    );
  const requests = total.live + total.test;
  const earlier = before.live + before.test;
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Figure name="Requests" value={inLog(false, 'Show live requests in the log', formatNumber(requests))}>
        {`${formatNumber(total.live)} live, ${formatNumber(total.test)} test`}
        {earlier === 0 ? null : (
          <span className="block">{`${formatChange(requests / earlier - 1)} from the previous ${RANGE_WORDS[range]}`}</span>
        )}
      </Figure>
      <Figure
        name="Failed"
        value={inLog(
          true,
          'Show failed live requests in the log',
          formatPercent(requests === 0 ? 0 : total.errors / requests),
        )}
      >
        {`${counted(total.errors, ['response', 'responses'])} with 4xx or 5xx`}
      </Figure>
      <Figure name="Latency, p50" value={total.p50 === null ? 'No data' : `${formatNumber(total.p50)} ms`}>
        {total.p95 === null ? 'No requests' : `p95 ${formatNumber(total.p95)} ms`}
      </Figure>
      <Quota workspaceId={workspaceId} month={month} />
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
const LINK_CLASS = 'rounded underline decoration-line underline-offset-4 hover:decoration-current';

function Quota({
  workspaceId,
  month: { used, limit, forecast, endsAt },
}: Pick<FiguresProps, 'workspaceId' | 'month'>) {
  const lastDay = formatUtcDay(new Date(Date.parse(endsAt) - 1).toISOString());
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  const exceeds = limit !== null && forecast > limit;
  return (
    <Figure
      name="Live quota this month"
      value={
        <Link
          to="/w/$workspaceId/settings"
          params={{ workspaceId }}
          search={{ tab: 'limits' }}
          className={LINK_CLASS}
          title="Show the limits"
        >
          {formatNumber(used)}
          <span className="text-base font-normal text-soft">
            {limit === null ? ' used, no limit' : ` of ${formatNumber(limit)}`}
          </span>
          <span className="sr-only">. Show the limits</span>
        </Link>
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
