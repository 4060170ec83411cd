import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import { isFailure, messageOf } from '../../../api/failure.ts';
import { deliveryQuery, SOON_MS, type WebhookId } from '../../../api/webhooks.ts';
import { formatNumber } from '../../../format/number.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { DeliveryBadge, outcomeOf } from '../state.tsx';

export interface TestEventProps {
  readonly id: WebhookId;
  readonly eventId: string;
  readonly onClose: () => void;
}

/** Shows what comes of a test event, as soon as its first attempt has ended. */
export function TestEvent({ id, eventId, onClose }: TestEventProps) {
  const { data, error } = useQuery({
    ...deliveryQuery(id, eventId),
    refetchInterval: ({ state }) => (state.data?.delivery.attempts ? false : SOON_MS),
  });
  const delivery = data?.delivery.attempts ? data.delivery : undefined;
  return (
    <Dialog open onOpenChange={onClose} title="Test event">
      <div role="status" className="flex flex-wrap items-center gap-2">
        {delivery === undefined ? (
          <>
            <LoaderCircle size={14} aria-hidden className="animate-spin" />
            Waiting for the response of the receiver…
          </>
        ) : (
          <>
            <DeliveryBadge state={delivery.state} />
            <span className="min-w-0 wrap-anywhere">{outcomeOf(delivery)}</span>
            <span className="text-soft">after {formatNumber(delivery.durationMs)} ms</span>
          </>
        )}
      </div>
      {error === null || isFailure(error, 'not_found') ? null : (
        <Problem className="mt-3">{messageOf(error)}</Problem>
      )}
      <DialogActions>
        {delivery === undefined ? null : (
          <Link
            to="/w/$workspaceId/webhooks/$endpointId/deliveries/$eventId"
            params={{ ...id, eventId }}
            className={buttonClass('secondary')}
          >
            Open the delivery
          </Link>
        )}
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}
