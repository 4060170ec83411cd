import type { Traffic } from '@svc/service/dashboard/wire';
import { useState } from 'react';
import { formatNumber } from '../../format/number.ts';
import { LatencyPlot } from '../../plots/latency-plot.tsx';
import { Legend, LegendItem, latencyText, spanName } from '../../plots/legend.tsx';
import { FAILED_BAR, RequestsPlot } from '../../plots/requests-plot.tsx';
import { Section } from '../../ui/card.tsx';
import { logOfSpan } from './log-link.ts';
import { LogLink, useOpenBar } from './requests-in-log.tsx';
import { SpanTable, TableButton } from './span-table.tsx';

export interface TrafficPanelsProps {
  readonly workspaceId: string;
  readonly traffic: Traffic;
}

/** Requests and latencies over time. The legend shows the span at the pointer, or the total. */
export const TrafficPanels = ({ workspaceId, traffic }: TrafficPanelsProps) => (
  <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
    <RequestsPanel workspaceId={workspaceId} traffic={traffic} />
    <LatencyPanel traffic={traffic} />
  </div>
);

const COLUMNS = [
  ['live', 'Live'],
  ['test', 'Test'],
] as const;

/** A click on a bar opens the requests of its span in the log. */
function RequestsPanel({ workspaceId, traffic }: TrafficPanelsProps) {
  const [asTable, setAsTable] = useState(false);
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : traffic.spans[index];
  const { live, test, errors } = span ?? traffic.total;
  const openLog = useOpenBar(workspaceId, { ...traffic, failedBar: FAILED_BAR });
  return (
    <Section
      title={`Requests per ${traffic.step}`}
      description="Click a bar to see its live requests in the log, or its red part to see the failed ones."
      actions={<TableButton shown={asTable} onToggle={setAsTable} />}
    >
      <Legend name={spanName(traffic.step, span)}>
        <LegendItem className="bg-accent" label="Live" value={formatNumber(live)} />
        <LegendItem className="bg-edge" label="Test" value={formatNumber(test)} />
        <LegendItem className="bg-bad" label="Failed (live and test)" value={formatNumber(errors)} />
      </Legend>
      <RequestsPlot traffic={traffic} onPoint={setIndex} onChoose={openLog} />
      {asTable ? (
        <SpanTable
          step={traffic.step}
          spans={traffic.spans}
          columns={COLUMNS}
          link={(at, failed, text) => (
            <LogLink
              workspaceId={workspaceId}
              search={logOfSpan(traffic.step, at, failed)}
              className="text-accent hover:underline"
            >
              {text}
            </LogLink>
          )}
        />
      ) : null}
    </Section>
  );
}

function LatencyPanel({ traffic }: { readonly traffic: Traffic }) {
  const [index, setIndex] = useState<number | null>(null);
  const span = index === null ? undefined : traffic.spans[index];
  const { p50, p95 } = span ?? traffic.total;
  return (
    <Section title="Latency" description="Of live and test requests, at the service">
      <Legend name={spanName(traffic.step, span)}>
        <LegendItem className="bg-accent" label="p50" value={latencyText(p50)} />
        <LegendItem className="bg-warn" label="p95" value={latencyText(p95)} />
      </Legend>
      <LatencyPlot traffic={traffic} onPoint={setIndex} />
    </Section>
  );
}
