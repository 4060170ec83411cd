import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isFailure } from '../../../api/failure.ts';
import { deleteWebhook, forgetWebhook, type WebhookId } from '../../../api/webhooks.ts';
import { Confirm } from '../../../ui/popup/confirm.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { nameOf } from '../state.tsx';

export interface DeleteWebhookProps {
  readonly id: WebhookId;
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

export function DeleteWebhook({ id, endpoint, onClose }: DeleteWebhookProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async (): Promise<void> => {
    await deleteWebhook(id).catch((error: unknown) => {
      // Somebody else was faster.
      if (!isFailure(error, 'not_found')) throw error;
    });
    await navigate({ to: '/w/$workspaceId/webhooks', params: { workspaceId: id.workspaceId } });
    toast(`“${nameOf(endpoint)}” is deleted.`);
    await forgetWebhook(client, id);
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={`Delete “${nameOf(endpoint)}”?`}
      action="Delete endpoint"
      dangerous
      onConfirm={remove}
    >
      <p>
        The service sends nothing more to <span className="text-ink wrap-anywhere">{endpoint.url}</span>. Its
        secret and its deliveries are deleted too. This cannot be undone.
      </p>
      <p>To only pause it, disable it instead: it then continues with the events that it has missed.</p>
    </Confirm>
  );
}
