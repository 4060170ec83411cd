import type { ContentStatus } from '@svc/sdk';
import { CONTRACT } from '@svc/sdk/contract';
import { CONTENT_COUNTED_MAX } from '@svc/service/dashboard/limits';
import type { Overview } from '@svc/service/dashboard/wire';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../format/number.ts';
import { valueLabel } from '../../resources/labels.ts';
import { Section } from '../../ui/card.tsx';
import { MoreLink } from './more-link.tsx';

const GROUNDS: Readonly<Record<ContentStatus, string>> = {
  draft: 'bg-edge',
  in_review: 'bg-warn',
  scheduled: 'bg-accent',
  published: 'bg-good',
  archived: 'bg-line',
};
const WHOLE_PERCENT = 100;
/** The service counts no further, unless the count follows from the total. */
const countLabel = (count: number): string =>
  count === CONTENT_COUNTED_MAX + 1 ? `${formatNumber(CONTENT_COUNTED_MAX)}+` : formatNumber(count);

export interface ContentPanelProps {
  readonly workspaceId: string;
  readonly content: Overview['content'];
}

/** The number of content items per status. */
export function ContentPanel({ workspaceId, content }: ContentPanelProps) {
  const statuses = Object.entries(content) as [ContentStatus, number][];
  const most = Math.max(1, ...statuses.map(([, count]) => count));
  return (
    <Section
      title="Content by status"
      actions={<MoreLink workspaceId={workspaceId} resource={CONTRACT.content} />}
    >
      <ul className="flex flex-col gap-1">
        {statuses.map(([status, count]) => (
          <li key={status}>
            <Link
              to="/w/$workspaceId/data/$resource"
              params={{ workspaceId, resource: CONTRACT.content.name }}
              search={{ status }}
              className="-mx-2 grid grid-cols-[6rem_minmax(0,1fr)_auto] items-center gap-3 rounded-md px-2 py-1.5 hover:bg-hover"
            >
              <span>{valueLabel(status)}</span>
              <span aria-hidden className="h-2.5 overflow-hidden rounded-full bg-sunken">
                <span
                  className={`block h-full rounded-full ${GROUNDS[status]}`}
                  style={{ width: `${(count / most) * WHOLE_PERCENT}%` }}
                />
              </span>
              <span className="min-w-10 text-end font-medium tabular-nums">{countLabel(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
