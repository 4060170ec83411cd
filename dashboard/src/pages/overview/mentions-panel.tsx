import type { Sentiment } from '@svc/sdk';
import { CONTRACT } from '@svc/sdk/contract';
import type { Overview } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { newestMentionsQuery } from '../../api/overview.ts';
import { counted } from '../../format/plural.ts';
import { When } from '../../format/when.tsx';
import { toneOf, valueLabel } from '../../resources/labels.ts';
import { Badge } from '../../ui/badge.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { MoreLink } from './more-link.tsx';
import { ShareBar } from './share-bar.tsx';

const GROUNDS: Readonly<Record<Sentiment, string>> = {
  positive: 'bg-good',
  neutral: 'bg-edge',
  negative: 'bg-bad',
};

export interface MentionsPanelProps {
  readonly workspaceId: string;
  readonly sentiments: Overview['sentiments'];
}

/** The newest mentions, and the share of each sentiment. */
export function MentionsPanel({ workspaceId, sentiments }: MentionsPanelProps) {
  const { data, error, refetch } = useQuery(newestMentionsQuery(workspaceId));
  const total = Object.values(sentiments).reduce((sum, count) => sum + count, 0);
  return (
    <Section
      flush
      title="Mentions"
      description={
        total === 0 ? undefined : `Sentiment of the newest ${counted(total, ['mention', 'mentions'])}`
      }
      actions={<MoreLink workspaceId={workspaceId} resource={CONTRACT.mentions} />}
    >
      {total === 0 ? null : (
        <div className="border-b border-line p-4">
          <ShareBar
            shares={CONTRACT.mentions.fields.sentiment.values.map((value) => ({
              value,
              label: valueLabel(value),
              count: sentiments[value],
              className: GROUNDS[value],
            }))}
            link={({ value, label }) => (
              <Link
                to="/w/$workspaceId/data/$resource"
                params={{ workspaceId, resource: CONTRACT.mentions.name }}
                search={{ sentiment: value }}
                className="py-0.5 hover:underline"
              >
                {label}
              </Link>
            )}
          />
        </div>
      )}
      {error !== null && data === undefined ? (
        <FailureState error={error} retry={() => void refetch()} title="The mentions could not be loaded" />
      ) : data === undefined ? (
        <SkeletonRows columns={2} />
      ) : data.data.length === 0 ? (
        <p className="px-4 py-10 text-center text-soft">No mentions yet</p>
      ) : (
        <ul className="divide-y divide-line">
          {data.data.map(({ id, title, sentiment, source, publishedAt }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-2">
              <div className="min-w-0 grow">
                <Link
                  to="/w/$workspaceId/data/$resource/$recordId"
                  params={{ workspaceId, resource: CONTRACT.mentions.name, recordId: id }}
                  className="block truncate py-0.5 hover:underline"
                >
                  {title}
                </Link>
                <p className="truncate text-sm text-soft">
                  {source}, <When at={publishedAt} />
                </p>
              </div>
              <Badge tone={toneOf(sentiment)}>{valueLabel(sentiment)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
