import { CONTRACT } from '@svc/sdk/contract';
import type { Overview } from '@svc/service/dashboard/wire';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/workspace.ts';
import { whyNot } from '../../session/permissions.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';

export interface ChecklistProps {
  readonly workspaceId: string;
  readonly begun: Overview['begun'];
}

/** The first three steps in a new workspace, each with a link. Viewers see only the one that they may take. */
export function Checklist({ workspaceId, begun: { key, records, request } }: ChecklistProps) {
  const params = { workspaceId };
  const { role } = useWorkspace(workspaceId);
  if (whyNot(role, 'key.manage') !== undefined) {
    return request ? null : (
      <Section
        title="Get started"
        actions={
          <Link to="/w/$workspaceId/explorer" params={params} className={buttonClass('primary')}>
            Open the explorer
          </Link>
        }
      >
        <p className="text-soft">You can try the API here. Owners and admins create keys and import data.</p>
      </Section>
    );
  }
  return (
    <Section title="Get started" description="Three steps to read this workspace from your programs.">
      <ol className="flex flex-col gap-1">
        <Step
          number={1}
          done={key}
          title="Create an API key"
          action={
            <Link
              to="/w/$workspaceId/keys"
              params={params}
              search={{ create: 'test' }}
              className={buttonClass('primary')}
            >
              Create key
            </Link>
          }
        >
          A test key can read everything and changes nothing.
        </Step>
        <Step
          number={2}
          done={records}
          title="Import data"
          action={
            <Link
              to="/w/$workspaceId/data/$resource"
              params={{ workspaceId, resource: CONTRACT.companies.name }}
              className={buttonClass('secondary')}
            >
              Go to companies
            </Link>
          }
        >
          Import companies from a file first, then their records.
        </Step>
        <Step
          number={3}
          done={request}
          title="Send a request"
          action={
            <Link to="/w/$workspaceId/explorer" params={params} className={buttonClass('secondary')}>
              Open the explorer
            </Link>
          }
        >
          Try the API here, copy the request as a curl command, and send it with your key.
        </Step>
      </ol>
    </Section>
  );
}

interface StepProps {
  readonly number: number;
  readonly done: boolean;
  readonly title: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
}

const Step = ({ number, done, title, action, children }: StepProps) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2">
    <span
      className={classes(
        'flex size-7 shrink-0 items-center justify-center rounded-full text-sm font-semibold',
        done ? 'bg-good-ground text-good' : 'bg-accent-ground text-accent',
      )}
    >
      {done ? <Check size={15} aria-label="Done:" /> : number}
    </span>
    <div className="min-w-48 grow basis-0">
      <h3 className={classes('font-medium', done && 'text-soft line-through')}>{title}</h3>
      <p className="text-sm text-soft">{children}</p>
    </div>
    {done ? null : action}
  </li>
);
