import type { ApiKey } from '@svc/sdk';
import type { RangeName } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { keyUsageQuery, type UsageOfDays } from '../../../api/keys.ts';
import { formatNumber, formatPercent } from '../../../format/number.ts';
import { counted } from '../../../format/plural.ts';
import { BarsPlot } from '../../../plots/bars-plot.tsx';
import { Legend, LegendItem, spanName } from '../../../plots/legend.tsx';
import { Section } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { FailureState } from '../../../ui/failure-state.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { logOfSpan, logSince } from '../../overview/log-link.ts';
import { LogLink, type LogLinkProps, useOpenBar } from '../../overview/requests-in-log.tsx';
import { SpanTable, TableButton } from '../../overview/span-table.tsx';
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
  const [asTable, setAsTable] = useState(false);
  const { data, error, refetch } = useQuery(keyUsageQuery(workspaceId, apiKey.id, days));
  return (
    <Section
      title="Requests per day"
      description={
        hasEntries(apiKey)
          ? 'Click a bar to see its requests in the log, or its red part to see the failed ones.'
          : undefined
      }
      actions={
        <span className="flex flex-wrap items-center gap-2">
          <TableButton shown={asTable} onToggle={setAsTable} />
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
        </span>
      }
    >
      {data !== undefined ? (
        <UsagePlot workspaceId={workspaceId} apiKey={apiKey} usage={data} asTable={asTable} />
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

/** Requests with test keys have no entries in the log. */
const hasEntries = ({ mode }: ApiKey): boolean => mode === 'live';

/** The index of the bar of failed requests. */
const FAILED_BAR = 1;
const COLUMNS = [['requests', 'Requests']] as const;

interface UsagePlotProps extends KeyUsageSectionProps {
  readonly usage: UsageOfDays;
  readonly asTable: boolean;
}

/** The legend shows the day at the pointer, or the total. */
function UsagePlot({ workspaceId, apiKey, usage, asTable }: UsagePlotProps) {
  const [index, setIndex] = useState<number | null>(null);
  const spans = useMemo(() => spansOf(usage), [usage]);
  const total = useMemo(() => sumOf(spans), [spans]);
  const span = index === null ? undefined : spans[index];
  const all = counted(total.requests, ['request', 'requests']);
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
  const openLog = useOpenBar(workspaceId, { step: 'day', spans, failedBar: FAILED_BAR, key: apiKey.id });
  const from = times[0] ?? '';
  const figure = (failed: boolean, value: string): ReactNode => (
    <KeyLogLink
      workspaceId={workspaceId}
      apiKey={apiKey}
      search={span === undefined ? logSince(from, failed) : logOfSpan('day', span.at, failed)}
      hint={
        failed
          ? 'Show the failed requests of this key in the log'
          : 'Show the requests of this key in the log'
      }
    >
      {value}
    </KeyLogLink>
  );
  return (
    <>
      <Legend name={spanName('day', span)}>
        <LegendItem className="bg-accent" label="Requests" value={figure(false, formatNumber(requests))} />
        <LegendItem className="bg-bad" label="Failed" value={figure(true, formatNumber(errors))} />
        <LegendItem label="Failed share" value={formatPercent(requests === 0 ? 0 : errors / requests)} />
      </Legend>
      <BarsPlot
        label={`Requests per day: ${all}, ${formatNumber(total.errors)} failed.`}
        step="day"
        times={times}
        bars={bars}
        onPoint={setIndex}
        onChoose={hasEntries(apiKey) ? openLog : undefined}
      />
      {asTable ? (
        <SpanTable
          step="day"
          spans={spans}
          columns={COLUMNS}
          link={(at, failed, text) => (
            <KeyLogLink workspaceId={workspaceId} apiKey={apiKey} search={logOfSpan('day', at, failed)}>
              {text}
            </KeyLogLink>
          )}
        />
      ) : null}
    </>
  );
}

interface KeyLogLinkProps extends KeyUsageSectionProps, Omit<LogLinkProps, 'className'> {}

/** A link to requests of the key in the log. Only the text if the log has no entries of it. */
function KeyLogLink({ apiKey, search, ...link }: KeyLogLinkProps) {
  if (!hasEntries(apiKey)) return link.children;
  const isFigure = link.hint !== undefined;
  return (
    <LogLink
      {...link}
      search={{ ...search, key: apiKey.id }}
      className={classes('rounded text-accent hover:underline', isFigure && 'inline-flex items-center')}
    />
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
