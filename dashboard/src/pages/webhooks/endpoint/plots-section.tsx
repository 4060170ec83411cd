import type { WebhookPlot } from '@svc/service/webhooks/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type WebhookId, webhookPlotQuery } from '../../../api/webhooks.ts';
import { formatNumber, formatPercent } from '../../../format/number.ts';
import { BarsPlot } from '../../../plots/bars-plot.tsx';
import { LatencyLines } from '../../../plots/latency-lines.tsx';
import { Legend, LegendItem, latencyText, spanName } from '../../../plots/legend.tsx';
import { Card, Section } from '../../../ui/card.tsx';
import { FailureState } from '../../../ui/failure-state.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { WebhookSearch } from './webhook-search.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/webhooks/$endpointId');

const RANGES = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const satisfies readonly {
  readonly value: NonNullable<WebhookSearch['plot']>;
  readonly label: string;
}[];

/** The success rate and the latency of the attempts over time. */
export function PlotsSection({ id }: { readonly id: WebhookId }) {
  const { plot: range = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(webhookPlotQuery(id, range));
  return (
    <section aria-label="Attempts over time" className="flex flex-col gap-3">
      <div className="flex justify-end">
        <Segments
          label="Time of the plots"
          value={range}
          options={RANGES}
          onChange={(plot) =>
            void navigate({
              search: (known) => ({ ...known, plot }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      {data !== undefined ? (
        <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
          <AttemptsPanel plot={data} />
          <LatencyPanel plot={data} />
        </div>
      ) : (
        <Card className="p-4">
          {error === null ? (
            <div role="status" aria-label="Loading">
              <Skeleton className="h-60 w-full" />
            </div>
          ) : (
            <FailureState error={error} retry={() => void refetch()} title="The plots could not be loaded" />
          )}
        </Card>
      )}
    </section>
  );
}

interface PanelProps {
  readonly plot: WebhookPlot;
}

function AttemptsPanel({ plot: { step, spans } }: PanelProps) {
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : spans[index];
  const total = useMemo(() => totalOf(spans), [spans]);
  const { delivered, failed } = span ?? total;
  const times = useMemo(() => spans.map(({ at }) => at), [spans]);
  const bars = useMemo(
    () =>
      [
        { label: 'Attempts', color: 'accent', values: spans.map((one) => one.delivered + one.failed) },
        { label: 'Failed', color: 'bad', values: spans.map((one) => one.failed) },
      ] as const,
    [spans],
  );
  const summary = `${total.delivered} delivered, ${total.failed} failed`;
  return (
    <Section title={`Attempts per ${step}`}>
      <Legend name={spanName(step, span)}>
        <LegendItem label="Success rate" value={rateOf(delivered, failed)} />
        <LegendItem className="bg-accent" label="Delivered" value={formatNumber(delivered)} />
        <LegendItem className="bg-bad" label="Failed" value={formatNumber(failed)} />
      </Legend>
      <BarsPlot
        label={`Attempts per ${step}: ${summary}.`}
        step={step}
        times={times}
        bars={bars}
        onPoint={setIndex}
      />
    </Section>
  );
}

function LatencyPanel({ plot: { step, spans } }: PanelProps) {
  const [index, setIndex] = useState<number | null>(null);
  // Percentiles of spans cannot be added up, so without the pointer the newest span with attempts is shown.
  const span = (index === null ? undefined : spans[index]) ?? spans.findLast((one) => one.p50 !== null);
  const { p50 = null, p99 = null } = span ?? {};
  const times = useMemo(() => spans.map(({ at }) => at), [spans]);
  const lines = useMemo(
    () =>
      [
        { label: 'p50', color: 'accent', values: spans.map((one) => one.p50) },
        { label: 'p99', color: 'warn', values: spans.map((one) => one.p99) },
      ] as const,
    [spans],
  );
  const newest = p50 === null ? 'no attempts' : `p50 ${p50} ms, p99 ${p99} ms`;
  return (
    <Section title="Latency of the receiver">
      <Legend name={spanName(step, span)}>
        <LegendItem className="bg-accent" label="p50" value={latencyText(p50)} />
        <LegendItem className="bg-warn" label="p99" value={latencyText(p99)} />
      </Legend>
      <LatencyLines
        label={`Latency per ${step}: ${newest}.`}
        step={step}
        times={times}
        lines={lines}
        onPoint={setIndex}
      />
    </Section>
  );
}

const totalOf = (spans: WebhookPlot['spans']) => ({
  delivered: spans.reduce((sum, { delivered }) => sum + delivered, 0),
  failed: spans.reduce((sum, { failed }) => sum + failed, 0),
});

const rateOf = (delivered: number, failed: number): string =>
  delivered + failed === 0 ? 'No data' : formatPercent(delivered / (delivered + failed));
