import type { RangeName } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { overviewQuery, trafficQuery } from '../../api/overview.ts';
import { useArrival } from '../../arrival.ts';
import { Deferred } from '../../layout/deferred.tsx';
import { Page } from '../../layout/page.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { Card } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { KeyNotices } from '../keys/key-notices.tsx';
import { Checklist } from './checklist.tsx';
import { ContentPanel } from './content-panel.tsx';
import { Figures } from './figures.tsx';
import { MentionsPanel } from './mentions-panel.tsx';
import { ScoresPanel } from './scores-panel.tsx';
import { TrafficPanels } from './traffic-panels.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/');

const RANGES = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
] as const satisfies readonly { readonly value: RangeName; readonly label: string }[];

export function OverviewPage() {
  const { workspaceId } = route.useParams();
  const { range } = route.useLoaderDeps();
  const navigate = route.useNavigate();
  const overview = useQuery(overviewQuery(workspaceId));
  const traffic = useQuery(trafficQuery(workspaceId, range));
  const shown = useArrival(overview.data, workspaceId);
  const requests = useArrival(traffic.data, workspaceId);
  const failed = [overview, traffic].find(({ data, error }) => data === undefined && error !== null);
  const begun = shown?.begun;
  const empty = begun !== undefined && !begun.request;
  return (
    <Page
      {...PAGE_HEADS['/w/$workspaceId']}
      actions={
        empty && !begun.records ? undefined : (
          <Segments
            label="Time"
            value={range}
            options={RANGES}
            onChange={(next) => void navigate({ search: { range: next }, replace: true })}
          />
        )
      }
    >
      <KeyNotices workspaceId={workspaceId} />
      {failed !== undefined ? (
        <Card>
          <FailureState
            error={failed.error}
            retry={() => void Promise.all([overview.refetch(), traffic.refetch()])}
            title="The overview could not be loaded"
          />
        </Card>
      ) : shown === undefined || requests === undefined ? (
        <OverviewSkeleton />
      ) : (
        <>
          {begun?.key && begun.records && begun.request ? null : (
            <Checklist workspaceId={workspaceId} begun={shown.begun} />
          )}
          {empty ? null : (
            <>
              <Figures workspaceId={workspaceId} traffic={requests} month={shown.month} />
              <TrafficPanels workspaceId={workspaceId} traffic={requests} />
            </>
          )}
          {shown.begun.records ? (
            <Deferred>
              <ScoresPanel workspaceId={workspaceId} range={range} />
              <div className="grid items-start gap-5 lg:grid-cols-2">
                <MentionsPanel workspaceId={workspaceId} sentiments={shown.sentiments} />
                <ContentPanel workspaceId={workspaceId} content={shown.content} />
              </div>
            </Deferred>
          ) : null}
        </>
      )}
    </Page>
  );
}

const OverviewSkeleton = () => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-5">
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {['requests', 'failures', 'latency', 'quota'].map((name) => (
        <Card key={name} className="p-4">
          <Skeleton className="h-4 w-20" />
          <Skeleton className="mt-3 h-7 w-full max-w-32" />
        </Card>
      ))}
    </div>
    <Card className="p-4">
      <Skeleton className="h-60 w-full" />
    </Card>
  </div>
);
