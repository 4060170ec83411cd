import type { CreatedEndpoint } from '@svc/service/webhooks/wire';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { createWebhook, useWebhookAction } from '../../api/webhooks.ts';
import { useDraft } from '../../session/draft.ts';
import { Button } from '../../ui/button.tsx';
import { differ } from '../../ui/form/unsaved.ts';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { settingsOf, type WebhookDraft, WebhookForm, whyIncomplete } from './webhook-form.tsx';

const EMPTY: WebhookDraft = { url: '', description: '', types: null, company: null, ordered: true };

export interface CreateWebhookProps {
  readonly workspaceId: string;
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedEndpoint) => void;
}

export function CreateWebhook({ workspaceId, onClose, onCreated }: CreateWebhookProps) {
  const [draft, setDraft] = useDraft(`new webhook ${workspaceId}`, EMPTY);
  const idempotencyKey = useIdempotencyKey();
  const create = useWebhookAction(workspaceId, {
    mutationFn: () => createWebhook(workspaceId, settingsOf(draft), idempotencyKey),
    // The response holds the secret, so do not cache it.
    gcTime: 0,
    onSuccess: (created) => {
      onClose();
      onCreated(created);
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title="Create a webhook endpoint" wide>
      <WebhookForm
        workspaceId={workspaceId}
        draft={draft}
        onChange={setDraft}
        action={create}
        unsaved={differ(draft, EMPTY)}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" busy={create.isPending} blocked={whyIncomplete(draft)}>
              Create endpoint
            </Button>
          </DialogActions>
        }
      />
    </Dialog>
  );
}
