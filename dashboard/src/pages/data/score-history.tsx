import type { RangeName } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scoresQuery } from '../../api/scores.ts';
import { ScorePlot } from '../../plots/score-plot.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

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
  const [range, setRange] = useState<(typeof RANGES)[number]['value']>('90d');
  const { data, error, refetch } = useQuery(scoresQuery(workspaceId, range, companyId));
  const hasScores = data?.companies.some(({ scores }) => scores.some((score) => score !== null)) === true;
  return (
    <Section
      title={`Headline score of ${name}`}
      actions={<Segments label="Time" value={range} onChange={setRange} options={RANGES} />}
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
