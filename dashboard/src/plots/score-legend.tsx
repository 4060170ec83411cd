import { CONTRACT } from '@svc/sdk/contract';
import type { Scores } from '@svc/service/dashboard/wire';
import { Link } from '@tanstack/react-router';
import { LINE_DASHES, LINE_VARIABLES } from './score-plot.tsx';

export interface ScoreLegendProps {
  readonly workspaceId: string;
  readonly companies: Scores['companies'];
}

/** The line style of each company, its newest score and the change since the first. */
export const ScoreLegend = ({ workspaceId, companies }: ScoreLegendProps) => (
  <ul className="flex flex-wrap gap-x-5 gap-y-1.5 text-sm">
    {companies.map(({ id, name, scores }, i) => {
      const known = scores.filter((score) => score !== null);
      const [first, last] = [known[0], known.at(-1)];
      return (
        <li key={id} className="flex min-w-0 items-center gap-2">
          <svg width="22" height="6" aria-hidden className="shrink-0">
            <line
              x1="0"
              x2="22"
              y1="3"
              y2="3"
              stroke={`var(--${LINE_VARIABLES[i] ?? 'ink'})`}
              strokeWidth="2.5"
              strokeDasharray={LINE_DASHES[i]?.join(' ')}
            />
          </svg>
          <Link
            to="/w/$workspaceId/data/$resource/$recordId"
            params={{ workspaceId, resource: CONTRACT.companies.name, recordId: id }}
            className="truncate hover:underline"
          >
            {name}
          </Link>
          {first === undefined || last === undefined ? (
            <span className="text-soft">No audits</span>
          ) : (
            <span className="tabular-nums">
              <span className="font-medium">{last}</span> <Change by={last - first} />
            </span>
          )}
        </li>
      );
    })}
  </ul>
);

const Change = ({ by }: { readonly by: number }) => (
  <span className={by > 0 ? 'text-good' : by < 0 ? 'text-bad' : 'text-soft'}>
    {by > 0 ? `+${by}` : by < 0 ? `−${-by}` : '±0'}
  </span>
);
