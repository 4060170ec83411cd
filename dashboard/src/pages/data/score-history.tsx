import type { RangeName } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { scoresQuery } from '../../api/scores.ts';
import { ScorePlot } from '../../plots/score-plot.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/data/$resource/$recordId');

const RANGES = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: '1 year' },
] as const satisfies readonly { readonly value: RangeName; readonly label: string }[];

export interface ScoreHistoryProps {
  readonly workspaceId: string;
  readonly companyId: string;
  readonly name: string;
}

/** The headline score of a company over time. */
export function ScoreHistory({ workspaceId, companyId, name }: ScoreHistoryProps) {
  const { range = '90d' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(scoresQuery(workspaceId, range, companyId));
  const hasScores = data?.companies.some(({ scores }) => scores.some((score) => score !== null)) === true;
  return (
    <Section
      title={`Headline score of ${name}`}
      actions={
        <Segments
          label="Time"
          value={range}
          options={RANGES}
          onChange={(next) => void navigate({ search: { range: next }, replace: true, resetScroll: false })}
        />
      }
    >
      {error !== null && data === undefined ? (
        <FailureState error={error} retry={() => void refetch()} title="The scores could not be loaded" />
      ) : data === undefined ? (
        <Skeleton className="h-55 w-full" />
      ) : hasScores ? (
        <ScorePlot scores={data} />
      ) : (
        <p className="py-8 text-center text-soft">No audits were completed in this time range.</p>
      )}
    </Section>
  );
}
