import type { WebhookDelivery } from '@svc/service/webhooks/wire';
import { RotateCcw } from 'lucide-react';
import { messageOf } from '../../../api/failure.ts';
import { replayDelivery, useWebhookAction, type WebhookId } from '../../../api/webhooks.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';

export interface ReplayButtonProps {
  readonly id: WebhookId;
  readonly delivery: WebhookDelivery;
}

/** Sends the event again, whether it was delivered or not. */
export function ReplayButton({ id, delivery }: ReplayButtonProps) {
  const replay = useWebhookAction(id.workspaceId, {
    mutationFn: () => replayDelivery(id, delivery.id),
    onSuccess: () => toast('The event will be sent again.'),
    onError: (error) => toast(messageOf(error), 'bad'),
  });
  return (
    <Button variant="primary" busy={replay.isPending} onClick={() => void replay.run()}>
      <RotateCcw size={14} aria-hidden />
      Replay
    </Button>
  );
}
