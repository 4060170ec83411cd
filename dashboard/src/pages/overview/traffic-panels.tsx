import type { Traffic, TrafficSpan } from '@svc/service/dashboard/wire-overview';
import { type ReactNode, useState } from 'react';
import { formatDate, formatStamp } from '../../format/time.ts';
import { LatencyPlot } from '../../plots/latency-plot.tsx';
import { RequestsPlot } from '../../plots/requests-plot.tsx';
import { Section } from '../../ui/card.tsx';

/** Requests and latencies over time; the pointer reads a span. */
export const TrafficPanels = ({ traffic }: { readonly traffic: Traffic }) => (
  <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
    <RequestsPanel traffic={traffic} />
    <LatencyPanel traffic={traffic} />
  </div>
);

const SECONDS_LENGTH = ':00'.length;
const spanName = (step: Traffic['step'], { at }: TrafficSpan): string =>
  step === 'day' ? formatDate(at) : formatStamp(at).slice(0, -SECONDS_LENGTH);

function RequestsPanel({ traffic }: { readonly traffic: Traffic }) {
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : traffic.spans[index];
  const { live, test, errors } = span ?? traffic.total;
  return (
    <Section title={`Requests by the ${traffic.step}`}>
      <Reading name={span === undefined ? 'All of it' : spanName(traffic.step, span)}>
        <Mark className="bg-accent" label="Live" value={live.toLocaleString()} />
        <Mark className="bg-edge" label="Test" value={test.toLocaleString()} />
        <Mark className="bg-bad" label="Failed of both" value={errors.toLocaleString()} />
      </Reading>
      <RequestsPlot traffic={traffic} onPoint={setIndex} />
    </Section>
  );
}

function LatencyPanel({ traffic }: { readonly traffic: Traffic }) {
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : traffic.spans[index];
  const { p50, p95 } = span ?? traffic.total;
  const ms = (value: number | null): string => (value === null ? 'none' : `${value.toLocaleString()} ms`);
  return (
    <Section title="Latency">
      <Reading name={span === undefined ? 'All of it' : spanName(traffic.step, span)}>
        <Mark className="bg-accent" label="p50" value={ms(p50)} />
        <Mark className="bg-warn" label="p95" value={ms(p95)} />
      </Reading>
      <LatencyPlot traffic={traffic} onPoint={setIndex} />
    </Section>
  );
}

const Reading = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
    <span className="text-soft">{name}</span>
    {children}
  </div>
);

interface MarkProps {
  readonly className: string;
  readonly label: string;
  readonly value: string;
}

const Mark = ({ className, label, value }: MarkProps) => (
  <span className="flex items-center gap-1.5 whitespace-nowrap">
    <span aria-hidden className={`size-2.5 rounded-xs ${className}`} />
    {label}
    <span className="font-medium tabular-nums">{value}</span>
  </span>
);
