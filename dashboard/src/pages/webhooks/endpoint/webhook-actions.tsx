import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { Ban, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../../api/failure.ts';
import { changeWebhook, useWebhookAction, type WebhookId } from '../../../api/webhooks.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/popup/menu.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { DeleteWebhook } from './delete-webhook.tsx';
import { EditWebhook } from './edit-webhook.tsx';

export interface WebhookActionsProps {
  readonly id: WebhookId;
  readonly endpoint: WebhookEndpoint;
}

type Dialog = 'edit' | 'delete';

/** What a person can do with an endpoint. */
export function WebhookActions({ id, endpoint }: WebhookActionsProps) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = (): void => setDialog(null);
  const disable = useWebhookAction(id.workspaceId, {
    mutationFn: () => changeWebhook(id, { enabled: false }),
    onSuccess: () => toast('The endpoint is disabled.'),
    onError: (error) => toast(messageOf(error), 'bad'),
  });
  const trigger = (
    <button type="button" aria-label="More actions" className={buttonClass('secondary', 'icon')}>
      <Ellipsis size={16} aria-hidden />
    </button>
  );
  return (
    <>
      <Button onClick={() => setDialog('edit')}>
        <Pencil size={14} aria-hidden />
        Edit
      </Button>
      <Menu trigger={trigger} align="end">
        {endpoint.enabled ? (
          <MenuItem icon={Ban} onSelect={() => void disable.run()}>
            Disable
          </MenuItem>
        ) : null}
        <MenuItem icon={Trash2} dangerous onSelect={() => setDialog('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {dialog === 'edit' ? <EditWebhook id={id} endpoint={endpoint} onClose={close} /> : null}
      {dialog === 'delete' ? <DeleteWebhook id={id} endpoint={endpoint} onClose={close} /> : null}
    </>
  );
}
