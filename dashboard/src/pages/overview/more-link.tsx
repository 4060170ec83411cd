import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import type { ResourceContract } from '../../resources/resources.ts';

export interface MoreLinkProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
}

/** A link to the list of a resource. */
export const MoreLink = ({ workspaceId, resource: { name, plural } }: MoreLinkProps) => (
  <Link
    to="/w/$workspaceId/data/$resource"
    params={{ workspaceId, resource: name }}
    className="inline-flex items-center gap-1 py-0.5 text-sm text-accent hover:underline"
  >
    All {plural}
    <ArrowRight size={13} aria-hidden />
  </Link>
);
