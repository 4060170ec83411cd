import type { ApiKey } from '@svc/sdk';
import type { RangeName } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { keyUsageQuery, type UsageOfDays } from '../../../api/keys.ts';
import { formatNumber, formatPercent } from '../../../format/number.ts';
import { BarsPlot } from '../../../plots/bars-plot.tsx';
import { Legend, LegendItem, spanName } from '../../../plots/legend.tsx';
import { Section } from '../../../ui/card.tsx';
import { FailureState } from '../../../ui/failure-state.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { daysOf } from '../usage.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/keys/$keyId');

const RANGES = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
] as const satisfies readonly { readonly value: RangeName; readonly label: string }[];

export interface KeyUsageSectionProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
}

/** The requests of a key per day, and the share of those that failed. */
export function KeyUsageSection({ workspaceId, apiKey }: KeyUsageSectionProps) {
  const { range = '30d' } = route.useSearch();
  const navigate = route.useNavigate();
  const days = Number.parseInt(range, 10);
  const { data, error, refetch } = useQuery(keyUsageQuery(workspaceId, apiKey.id, days));
  return (
    <Section
      title="Requests per day"
      actions={
        <Segments
          label="Time of the plot"
          value={range}
          options={RANGES}
          onChange={(next) =>
            void navigate({
              search: (known) => ({ ...known, range: next }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      {data !== undefined ? (
        <UsagePlot usage={data} />
      ) : error === null ? (
        <div role="status" aria-label="Loading">
          <Skeleton className="h-60 w-full" />
        </div>
      ) : (
        <FailureState error={error} retry={() => void refetch()} title="The usage could not be loaded" />
      )}
    </Section>
  );
}

function UsagePlot({ usage }: { readonly usage: UsageOfDays }) {
  const [index, setIndex] = useState<number | null>(null);
  const spans = useMemo(() => spansOf(usage), [usage]);
  const total = useMemo(() => sumOf(spans), [spans]);
  const span = index === null ? undefined : spans[index];
  const { requests, errors } = span ?? total;
  const times = useMemo(() => spans.map(({ at }) => at), [spans]);
  const bars = useMemo(
    () =>
      [
        { label: 'Requests', color: 'accent', values: spans.map((one) => one.requests) },
        { label: 'Failed', color: 'bad', values: spans.map((one) => one.errors) },
      ] as const,
    [spans],
  );
  return (
    <>
      <Legend name={spanName('day', span)}>
        <LegendItem className="bg-accent" label="Requests" value={formatNumber(requests)} />
        <LegendItem className="bg-bad" label="Failed" value={formatNumber(errors)} />
        <LegendItem label="Failed share" value={formatPercent(requests === 0 ? 0 : errors / requests)} />
      </Legend>
      <BarsPlot
        label={`Requests per day: ${total.requests} requests, ${total.errors} failed.`}
        step="day"
        times={times}
        bars={bars}
        onPoint={setIndex}
      />
    </>
  );
}

interface Span {
  readonly at: string;
  readonly requests: number;
  readonly errors: number;
}

/** One span per day (UTC), the oldest first, with 0 for days without requests. */
function spansOf({ days, data }: UsageOfDays): readonly Span[] {
  const known = new Map(data.map((day) => [day.day, day]));
  return daysOf(days).map((day) => {
    const { requests = 0, errors = 0 } = known.get(day) ?? {};
    return { at: `${day}T00:00:00Z`, requests, errors };
  });
}

const sumOf = (spans: readonly Span[]) => ({
  requests: spans.reduce((sum, { requests }) => sum + requests, 0),
  errors: spans.reduce((sum, { errors }) => sum + errors, 0),
});
