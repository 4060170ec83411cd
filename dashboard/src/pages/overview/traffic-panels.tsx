import type { Traffic } from '@svc/service/dashboard/wire';
import { useState } from 'react';
import { formatNumber } from '../../format/number.ts';
import { LatencyPlot } from '../../plots/latency-plot.tsx';
import { Legend, LegendItem, latencyText, spanName } from '../../plots/legend.tsx';
import { RequestsPlot } from '../../plots/requests-plot.tsx';
import { Section } from '../../ui/card.tsx';

/** Requests and latencies over time. The legend shows the span at the pointer, or the total. */
export const TrafficPanels = ({ traffic }: { readonly traffic: Traffic }) => (
  <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
    <RequestsPanel traffic={traffic} />
    <LatencyPanel traffic={traffic} />
  </div>
);

function RequestsPanel({ traffic }: { readonly traffic: Traffic }) {
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : traffic.spans[index];
  const { live, test, errors } = span ?? traffic.total;
  return (
    <Section title={`Requests per ${traffic.step}`}>
      <Legend name={spanName(traffic.step, span)}>
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
  return (
    <Section title="Latency">
      <Legend name={spanName(traffic.step, span)}>
        <LegendItem className="bg-accent" label="p50" value={latencyText(p50)} />
        <LegendItem className="bg-warn" label="p95" value={latencyText(p95)} />
      </Legend>
      <LatencyPlot traffic={traffic} onPoint={setIndex} />
    </Section>
  );
}
