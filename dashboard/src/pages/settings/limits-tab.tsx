import { BURST_LIMIT_MAX, LIVE_QUOTA_MAX } from '@svc/service/dashboard/limits';
import { useQuery } from '@tanstack/react-query';
import { deploymentQuery } from '../../api/workspace.ts';
import { counted } from '../../format/plural.ts';
import { Section } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { LimitForm } from './limit-form.tsx';
import { QuotaUse } from './quota-use.tsx';

export const LimitsTab = ({ workspaceId }: { readonly workspaceId: string }) => (
  <div className="flex flex-col gap-5">
    <Section
      title="Live quota"
      description="The number of requests that all live keys together can make in a calendar month (UTC). Further requests get 429 quota_exceeded until the month ends. Test keys are not limited."
    >
      <QuotaUse workspaceId={workspaceId} />
      <LimitForm
        workspaceId={workspaceId}
        field="liveQuota"
        label="Live requests per month"
        min={0}
        max={LIVE_QUOTA_MAX}
        done={{ set: 'Live quota saved.', none: 'Live quota removed.' }}
      />
    </Section>
    <Section
      title="Burst limit"
      description="The number of requests that each key can make per second. Further requests get 429 rate_limited, with the time to wait. The limit keeps one program from slowing down the others."
    >
      <LimitForm
        workspaceId={workspaceId}
        field="burstLimit"
        label="Requests per second and key"
        min={1}
        max={BURST_LIMIT_MAX}
        done={{ set: 'Burst limit saved.', none: 'Burst limit removed.' }}
      />
    </Section>
    <Section title="Audit log">
      <Retention />
    </Section>
  </div>
);

function Retention() {
  const { data } = useQuery(deploymentQuery);
  if (data === undefined) return <Skeleton className="h-5 w-64" />;
  return (
    <p className="text-soft">
      Entries are kept for{' '}
      <strong className="font-medium text-ink">{counted(data.logRetentionDays, ['day', 'days'])}</strong>,
      then deleted a whole month at a time. Until then, nobody can change or delete them. The operator of the
      service sets this time for all workspaces (SVC_LOG_RETENTION_DAYS).
    </p>
  );
}
