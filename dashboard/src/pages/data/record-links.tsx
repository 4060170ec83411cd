import { capitalized } from '@svc/sdk/contract';
import { Link } from '@tanstack/react-router';
import { resourceIcon } from '../../resources/icon.ts';
import { COMPANY_RESOURCES } from '../../resources/resources.ts';
import { buttonClass } from '../../ui/button.tsx';

export interface CompanyRecordsProps {
  readonly workspaceId: string;
  readonly companyId: string;
}

/** Links from a company to the lists of its records. */
export const CompanyRecords = ({ workspaceId, companyId }: CompanyRecordsProps) => (
  <nav aria-label="Records of this company" className="flex flex-wrap gap-2">
    {COMPANY_RESOURCES.map(({ name, plural }) => {
      const Icon = resourceIcon(name);
      return (
        <Link
          key={name}
          to="/w/$workspaceId/data/$resource"
          params={{ workspaceId, resource: name }}
          search={{ companyId }}
          className={buttonClass('secondary')}
        >
          <Icon size={14} aria-hidden className="text-soft" />
          {capitalized(plural)}
        </Link>
      );
    })}
  </nav>
);
