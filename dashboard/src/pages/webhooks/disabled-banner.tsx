import { allows } from '@svc/service/dashboard/permissions';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { webhooksQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { counted } from '../../format/plural.ts';
import { Banner } from '../../ui/banner.tsx';
import { isDisabledByService, nameOf } from './state.tsx';

/** Tells owners and admins on every page of the workspace that the service has disabled webhook endpoints. */
export function DisabledBanner({ workspaceId }: { readonly workspaceId: string }) {
  const { role } = useWorkspace(workspaceId);
  const { data } = useQuery({ ...webhooksQuery(workspaceId), enabled: allows(role, 'webhook.manage') });
  const disabled = data?.data.filter(isDisabledByService) ?? [];
  const [first] = disabled;
  if (first === undefined) return null;
  return (
    <Banner label="Disabled webhooks" tone="warn">
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
    </Banner>
  );
}
