import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';

export interface MoreLinkProps {
  readonly to:
    | '/w/$workspaceId/data/audits'
    | '/w/$workspaceId/data/mentions'
    | '/w/$workspaceId/data/content';
  readonly workspaceId: string;
  readonly label: string;
}

export const MoreLink = ({ to, workspaceId, label }: MoreLinkProps) => (
  <Link
    to={to}
    params={{ workspaceId }}
    className="inline-flex items-center gap-1 py-0.5 text-sm text-accent hover:underline"
  >
    {label}
    <ArrowRight size={13} aria-hidden />
  </Link>
);
