import type { CompanyNames } from '@svc/service/dashboard/wire';
import { Building2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { CompanySearch } from './company-search.tsx';

type Company = CompanyNames['data'][number];

const SCOPES = [
  { value: 'all', label: 'All companies', hint: 'All companies of the workspace, including future ones.' },
  { value: 'one', label: 'One company', hint: 'Only this company and its records.' },
] as const;

export interface CompanyChoiceProps {
  readonly workspaceId: string;
  /** Null: all companies. Undefined: one company, not yet chosen. */
  readonly company: Company | null | undefined;
  readonly onChange: (company: Company | null | undefined) => void;
}

export function CompanyChoice({ workspaceId, company, onChange }: CompanyChoiceProps) {
  return (
    <div className="flex flex-col gap-2">
      <Choice
        label="Companies"
        value={company === null ? 'all' : 'one'}
        onChange={(scope) => onChange(scope === 'all' ? null : undefined)}
        options={SCOPES}
      />
      {company === null ? null : (
        <OneCompany workspaceId={workspaceId} company={company} onChange={onChange} />
      )}
    </div>
  );
}

export interface OneCompanyProps {
  readonly workspaceId: string;
  /** Undefined: not yet chosen. */
  readonly company: Company | undefined;
  readonly onChange: (company: Company | undefined) => void;
}

/** Searches a company, or shows the one that was chosen. */
export const OneCompany = ({ workspaceId, company, onChange }: OneCompanyProps) =>
  company === undefined ? (
    <CompanySearch workspaceId={workspaceId} onChoose={onChange} />
  ) : (
    <div className="flex items-center gap-2.5 rounded-md border border-line bg-sunken py-1.5 ps-3 pe-1.5">
      <Building2 size={16} aria-hidden className="shrink-0 text-soft" />
      <span className="min-w-0 grow truncate">
        <span className="font-medium">{company.name}</span>{' '}
        <span className="text-soft">{company.domain ?? company.id}</span>
      </span>
      {/* Takes over the focus from the search. */}
      <Button autoFocus size="small" variant="ghost" onClick={() => onChange(undefined)}>
        Change
      </Button>
    </div>
  );
