import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { Ban, Ellipsis, History, Pencil, RotateCcw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../../api/failure.ts';
import { changeWebhook, sendTestEvent, useWebhookAction, type WebhookId } from '../../../api/webhooks.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/popup/menu.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { DeleteWebhook } from './delete-webhook.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { ReplayFailed } from './replay-failed.tsx';
import { ReplaySince } from './replay-since.tsx';
import { TestEvent } from './test-event.tsx';

export interface WebhookActionsProps {
  readonly id: WebhookId;
  readonly endpoint: WebhookEndpoint;
  /** Whether the dialog that edits the endpoint is open. */
  readonly editing: boolean;
  readonly onEditing: (editing: boolean) => void;
}

type Dialog = 'replay-failed' | 'replay-since' | 'delete';

/** What a person can do with an endpoint. */
export function WebhookActions({ id, endpoint, editing, onEditing }: WebhookActionsProps) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = (): void => setDialog(null);
  const test = useWebhookAction(id.workspaceId, {
    mutationFn: () => sendTestEvent(id),
    onError: (error) => toast(messageOf(error), 'bad'),
  });
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
      <Button
        busy={test.isPending}
        blocked={endpoint.enabled ? undefined : 'Enable the endpoint first.'}
        onClick={() => void test.run()}
      >
        <Send size={14} aria-hidden />
        Send test event
      </Button>
      <Button onClick={() => onEditing(true)}>
        <Pencil size={14} aria-hidden />
        Edit
      </Button>
      <Menu trigger={trigger} align="end">
        <MenuItem icon={RotateCcw} onSelect={() => setDialog('replay-failed')}>
          Replay failed deliveries…
        </MenuItem>
        <MenuItem icon={History} onSelect={() => setDialog('replay-since')}>
          Replay since…
        </MenuItem>
        <MenuSeparator />
        {endpoint.enabled ? (
          <MenuItem icon={Ban} onSelect={() => void disable.run()}>
            Disable
          </MenuItem>
        ) : null}
        <MenuItem icon={Trash2} dangerous onSelect={() => setDialog('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {editing ? <EditWebhook id={id} endpoint={endpoint} onClose={() => onEditing(false)} /> : null}
      {dialog === 'replay-failed' ? <ReplayFailed id={id} onClose={close} /> : null}
      {dialog === 'replay-since' ? <ReplaySince id={id} onClose={close} /> : null}
      {dialog === 'delete' ? <DeleteWebhook id={id} endpoint={endpoint} onClose={close} /> : null}
      {test.data === undefined ? null : (
        <TestEvent id={id} eventId={test.data.eventId} onClose={test.reset} />
      )}
    </>
  );
}
