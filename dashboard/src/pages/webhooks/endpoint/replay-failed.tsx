import { useQueryClient } from '@tanstack/react-query';
import { refreshWebhooks, replayWebhook, type WebhookId } from '../../../api/webhooks.ts';
import { Confirm } from '../../../ui/popup/confirm.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { replayedText } from './replayed-text.ts';

export interface ReplayProps {
  readonly id: WebhookId;
  readonly onClose: () => void;
}

export function ReplayFailed({ id, onClose }: ReplayProps) {
  const client = useQueryClient();
  const replay = async (): Promise<void> => {
    const { replayed } = await replayWebhook(id, { failed: true });
    toast(replayedText(replayed));
    await refreshWebhooks(client, id.workspaceId);
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Replay all failed deliveries?"
      action="Replay"
      onConfirm={replay}
    >
      <p>
        Every delivery with the state “Failed” is sent again, with the same <code>webhook-id</code> and the
        same body, unless the types or the company of the endpoint leave it out.
      </p>
    </Confirm>
  );
}
