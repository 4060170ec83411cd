import type { Traffic, TrafficSpan } from '@svc/service/dashboard/wire';
import { type ReactNode, useState } from 'react';
import { formatNumber } from '../../format/number.ts';
import { formatHour, formatUtcDay } from '../../format/time.ts';
import { LatencyPlot } from '../../plots/latency-plot.tsx';
import { RequestsPlot } from '../../plots/requests-plot.tsx';
import { Section } from '../../ui/card.tsx';

/** Requests and latencies over time. The legend shows the span at the pointer, or the total. */
export const TrafficPanels = ({ traffic }: { readonly traffic: Traffic }) => (
  <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
    <RequestsPanel traffic={traffic} />
    <LatencyPanel traffic={traffic} />
  </div>
);

const nameOf = (step: Traffic['step'], span: TrafficSpan | undefined): string => {
  if (span === undefined) return 'Total';
  return step === 'day' ? formatUtcDay(span.at) : formatHour(span.at);
};

function RequestsPanel({ traffic }: { readonly traffic: Traffic }) {
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : traffic.spans[index];
  const { live, test, errors } = span ?? traffic.total;
  return (
    <Section title={`Requests per ${traffic.step}`}>
      <Legend name={nameOf(traffic.step, span)}>
        <LegendItem className="bg-accent" label="Live" value={formatNumber(live)} />
        <LegendItem className="bg-edge" label="Test" value={formatNumber(test)} />
        <LegendItem className="bg-bad" label="Failed (live and test)" value={formatNumber(errors)} />
      </Legend>
      <RequestsPlot traffic={traffic} onPoint={setIndex} />
    </Section>
  );
}

function LatencyPanel({ traffic }: { readonly traffic: Traffic }) {
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : traffic.spans[index];
  const { p50, p95 } = span ?? traffic.total;
  const ms = (value: number | null): string => (value === null ? 'No data' : `${formatNumber(value)} ms`);
  return (
    <Section title="Latency">
      <Legend name={nameOf(traffic.step, span)}>
        <LegendItem className="bg-accent" label="p50" value={ms(p50)} />
        <LegendItem className="bg-warn" label="p95" value={ms(p95)} />
      </Legend>
      <LatencyPlot traffic={traffic} onPoint={setIndex} />
    </Section>
  );
}

const Legend = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
    <span className="text-soft">{name}</span>
    {children}
  </div>
);

interface LegendItemProps {
  readonly className: string;
  readonly label: string;
  readonly value: string;
}

const LegendItem = ({ className, label, value }: LegendItemProps) => (
  <span className="flex items-center gap-1.5 whitespace-nowrap">
    <span aria-hidden className={`size-2.5 rounded-xs ${className}`} />
    {label}
    <span className="font-medium tabular-nums">{value}</span>
  </span>
);
