import type { Role } from '@svc/service/dashboard/permissions';
import { allows } from '@svc/service/dashboard/permissions';
import type { Month } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { monthQuery, useWorkspace } from '../api/workspace.ts';
import { formatNumber, formatPercent } from '../format/number.ts';
import { counted } from '../format/plural.ts';
import { formatUtcDay } from '../format/time.ts';
import { Banner } from '../ui/banner.tsx';
import { dismissedNotice, dismissNotice } from './dismissed-notice.ts';

/** From this share of the live quota on, there is a notice. */
const NEARLY = 0.8;

/** Tells every member on every page that most or all of the live quota of this month is used. */
export function QuotaBanner({ workspaceId }: { readonly workspaceId: string }) {
  const { role } = useWorkspace(workspaceId);
  const { data } = useQuery(monthQuery(workspaceId));
  const [dismissed, setDismissed] = useState(() => dismissedNotice(workspaceId));
  if (data === undefined || data.limit === null) return null;
  const { used, limit, startsAt, endsAt } = data;
  const left = limit - used;
  if (left > 0 && used < limit * NEARLY) return null;
  // Another month or quota is another notice.
  const notice = `${startsAt} ${limit}`;
  if (left > 0 && dismissed === notice) return null;
  const dismiss = (): void => {
    dismissNotice(workspaceId, notice);
    setDismissed(notice);
  };
  const usedOfLimit = `${formatNumber(used)} of ${counted(limit, ['request', 'requests'])}`;
  const resets = `on ${formatUtcDay(endsAt)}`;
  return (
    <Banner
      label="Live quota notice"
      tone={left > 0 ? 'warn' : 'bad'}
      onDismiss={left > 0 ? dismiss : undefined}
    >
      {left > 0
        ? `${shareOf(data)} of the live quota of this month is used: ${usedOfLimit}. It resets ${resets}. `
        : `The live quota of this month is used up: ${usedOfLimit}. Requests with live keys get 429 quota_exceeded until it resets ${resets}. Test keys still work. `}
      <LimitsLink workspaceId={workspaceId} role={role} />
    </Banner>
  );
}

/** Rounded down, so that it is never more than what is used. */
const shareOf = ({ used, limit }: Month): string =>
  formatPercent(Math.floor((used / (limit ?? 1)) * 100) / 100);

const LimitsLink = ({ workspaceId, role }: { readonly workspaceId: string; readonly role: Role }) => (
  <Link
    to="/w/$workspaceId/settings"
    params={{ workspaceId }}
    search={{ tab: 'limits' }}
    className="font-medium underline"
  >
    {allows(role, 'quota.set') ? 'Change limits' : 'See limits'}
  </Link>
);
