import { CONTRACT } from '@svc/sdk/contract';
import { Link } from '@tanstack/react-router';
import { useCompanyNames } from '../../api/company-names.ts';

export interface CompanyScopeProps {
  readonly workspaceId: string;
  /** Null: all companies. */
  readonly companyId: string | null;
}

/** The companies that a key or an endpoint is limited to: all, or one. */
export function CompanyScope({ workspaceId, companyId }: CompanyScopeProps) {
  const nameOf = useCompanyNames(workspaceId, [companyId]);
  if (companyId === null) return 'All';
  return (
    <Link
      to="/w/$workspaceId/data/$resource/$recordId"
      params={{ workspaceId, resource: CONTRACT.companies.name, recordId: companyId }}
      className="hover:underline"
    >
      {nameOf(companyId)}
    </Link>
  );
}
