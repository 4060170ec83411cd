import { Link } from '@tanstack/react-router';
import { ClipboardCheck, FileText, MessageSquareQuote } from 'lucide-react';
import { buttonClass } from '../../ui/button.tsx';

const LINKS = [
  { to: '/w/$workspaceId/data/audits', label: 'Audits', icon: ClipboardCheck },
  { to: '/w/$workspaceId/data/mentions', label: 'Mentions', icon: MessageSquareQuote },
  { to: '/w/$workspaceId/data/content', label: 'Content', icon: FileText },
] as const;

export interface CompanyRecordsProps {
  readonly workspaceId: string;
  readonly companyId: string;
}

/** Links from a company to its records. */
export const CompanyRecords = ({ workspaceId, companyId }: CompanyRecordsProps) => (
  <nav aria-label="Records of this company" className="flex flex-wrap gap-2">
    {LINKS.map(({ to, label, icon: Icon }) => (
      <Link
        key={to}
        to={to}
        params={{ workspaceId }}
        search={{ companyId }}
        className={buttonClass('secondary')}
      >
        <Icon size={14} aria-hidden className="text-soft" />
        {label}
      </Link>
    ))}
  </nav>
);
