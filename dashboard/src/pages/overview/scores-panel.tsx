import { CONTRACT } from '@svc/sdk/contract';
import type { RangeName } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCompanyNames } from '../../api/company-names.ts';
import { newestAuditsQuery } from '../../api/overview.ts';
import { scoresQuery } from '../../api/scores.ts';
import { When } from '../../format/when.tsx';
import { ScoreLegend } from '../../plots/score-legend.tsx';
import { ScorePlot } from '../../plots/score-plot.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx';
import { Score } from '../data/value.tsx';
import { MoreLink } from './more-link.tsx';

export interface ScoresPanelProps {
  readonly workspaceId: string;
  readonly range: RangeName;
}

/** The scores of companies over time, and the newest audits. */
export const ScoresPanel = ({ workspaceId, range }: ScoresPanelProps) => (
  <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
    <ScoresOverTime workspaceId={workspaceId} range={range} />
    <NewestAudits workspaceId={workspaceId} />
  </div>
);

function ScoresOverTime({ workspaceId, range }: ScoresPanelProps) {
  const { data, error, refetch } = useQuery(scoresQuery(workspaceId, range));
  const hasScores = data?.companies.some(({ scores }) => scores.some((score) => score !== null)) === true;
  return (
    <Section title="Headline score by company">
      {error !== null && data === undefined ? (
        <FailureState error={error} retry={() => void refetch()} title="The scores could not be loaded" />
      ) : data === undefined ? (
        <Skeleton className="h-62 w-full" />
      ) : hasScores ? (
        <div className="flex flex-col gap-3">
          <ScoreLegend workspaceId={workspaceId} companies={data.companies} />
          <ScorePlot scores={data} />
        </div>
      ) : (
        <p className="py-10 text-center text-soft">
          No audits were completed in this time range. Choose a longer one.
        </p>
      )}
    </Section>
  );
}

function NewestAudits({ workspaceId }: Pick<ScoresPanelProps, 'workspaceId'>) {
  const { data, error, refetch } = useQuery(newestAuditsQuery(workspaceId));
  const companyName = useCompanyNames(workspaceId, data?.data.map(({ companyId }) => companyId) ?? []);
  return (
    <Section
      flush
      title="Newest audits"
      actions={<MoreLink workspaceId={workspaceId} resource={CONTRACT.audits} />}
    >
      {error !== null && data === undefined ? (
        <FailureState error={error} retry={() => void refetch()} title="The audits could not be loaded" />
      ) : data === undefined ? (
        <SkeletonRows columns={2} />
      ) : data.data.length === 0 ? (
        <p className="px-4 py-10 text-center text-soft">No audits yet</p>
      ) : (
        <ul className="divide-y divide-line">
          {data.data.map(({ id, companyId, headlineScore, completedAt }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-2.5">
              <Link
                to="/w/$workspaceId/data/$resource/$recordId"
                params={{ workspaceId, resource: CONTRACT.audits.name, recordId: id }}
                className="min-w-0 grow truncate py-0.5 hover:underline"
              >
                {companyName(companyId)}
              </Link>
              <span className="hidden text-sm text-soft sm:block">
                <When at={completedAt} />
              </span>
              <Score score={headlineScore} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
