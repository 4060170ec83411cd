import { allows } from '@svc/service/dashboard/permissions';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { webhooksQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { counted } from '../../format/plural.ts';
import { isDisabledByService, nameOf } from './state.tsx';

/** Tells owners and admins on every page of the workspace that the service has disabled webhook endpoints. */
export function DisabledBanner({ workspaceId }: { readonly workspaceId: string }) {
  const { role } = useWorkspace(workspaceId);
  const { data } = useQuery({ ...webhooksQuery(workspaceId), enabled: allows(role, 'webhook.manage') });
  const disabled = data?.data.filter(isDisabledByService) ?? [];
  const [first] = disabled;
  if (first === undefined) return null;
  return (
    <section
      aria-label="Disabled webhooks"
      className="flex items-start gap-2 border-b border-line bg-warn-ground px-4 py-2.5 text-warn sm:px-6"
    >
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <p className="min-w-0 wrap-anywhere">
        {disabled.length === 1
          ? `The service has disabled the webhook endpoint “${nameOf(first)}”. `
          : `The service has disabled ${counted(disabled.length, ['webhook endpoint', 'webhook endpoints'])}. `}
        {disabled.length === 1 ? (
          <Link
            to="/w/$workspaceId/webhooks/$endpointId"
            params={{ workspaceId, endpointId: first.id }}
            className="font-medium underline"
          >
            See why
          </Link>
        ) : (
          <Link to="/w/$workspaceId/webhooks" params={{ workspaceId }} className="font-medium underline">
            See which
          </Link>
        )}
      </p>
    </section>
  );
}
