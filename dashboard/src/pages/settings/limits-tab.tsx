import { BURST_LIMIT_MAX, LIVE_QUOTA_MAX } from '@svc/service/dashboard/limits';
import { useQuery } from '@tanstack/react-query';
import { deploymentQuery } from '../../api/deployment.ts';
import { Section } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { LimitForm } from './limit-form.tsx';
import type { WorkspaceProps } from './props.ts';
import { QuotaUse } from './quota-use.tsx';

export const LimitsTab = ({ workspaceId }: WorkspaceProps) => (
  <div className="flex flex-col gap-5">
    <Section
      title="Live quota"
      description="How many requests live keys may make in a calendar month (UTC), all together. Beyond it they get 429 quota_exceeded until the month ends. Test keys do not count and go on."
    >
      <QuotaUse workspaceId={workspaceId} />
      <LimitForm
        workspaceId={workspaceId}
        field="liveQuota"
        label="Live requests a month"
        min={0}
        max={LIVE_QUOTA_MAX}
        done={{ set: 'The live quota is set.', none: 'There is no live quota any more.' }}
      />
    </Section>
    <Section
      title="Burst limit"
      description="How many requests one key may make in a second. Beyond it a request gets 429 rate_limited and says when to come back. It keeps one program from slowing down the others."
    >
      <LimitForm
        workspaceId={workspaceId}
        field="burstLimit"
        label="Requests a second, per key"
        min={1}
        max={BURST_LIMIT_MAX}
        done={{ set: 'The burst limit is set.', none: 'There is no burst limit any more.' }}
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
      Entries are kept for <strong className="font-medium text-ink">{data.logRetentionDays} days</strong>,
      then removed a whole month at a time. Nobody can change or delete one before. The operator of this
      service sets the time for all workspaces (SVC_LOG_RETENTION_DAYS).
    </p>
  );
}
