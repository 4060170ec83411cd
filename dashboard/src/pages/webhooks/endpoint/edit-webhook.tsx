import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { useState } from 'react';
import { useCompanyNames } from '../../../api/company-names.ts';
import { changeWebhook, useWebhookAction, type WebhookId } from '../../../api/webhooks.ts';
import { useDraft } from '../../../session/draft.ts';
import { Button } from '../../../ui/button.tsx';
import { changesOf } from '../../../ui/form/unsaved.ts';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { settingsOf, type WebhookDraft, WebhookForm, whyIncomplete } from '../webhook-form.tsx';

export interface EditWebhookProps {
  readonly id: WebhookId;
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

export function EditWebhook({ id, endpoint, onClose }: EditWebhookProps) {
  const { workspaceId } = id;
  const nameOf = useCompanyNames(workspaceId, [endpoint.companyId]);
  // What the endpoint was when the dialog opened. Only what the person changes is kept and sent.
  const [before] = useState(() => draftOf(endpoint, nameOf));
  const [typed, setTyped] = useDraft<Partial<WebhookDraft>>(`edit ${endpoint.id}`, {});
  const draft = { ...before, ...typed };
  const changes = changesOf(settingsOf(before), settingsOf(draft));
  const unchanged = Object.keys(changes).length === 0 ? 'Nothing has changed.' : undefined;
  const change = useWebhookAction(workspaceId, {
    mutationFn: () => changeWebhook(id, changes),
    onSuccess: () => {
      onClose();
      toast('The endpoint is changed.');
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title="Edit the endpoint" wide>
      <WebhookForm
        workspaceId={workspaceId}
        draft={draft}
        onChange={(next) => setTyped({ ...typed, ...changesOf(draft, next) })}
        action={change}
        unsaved={unchanged === undefined}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={change.isPending}
              blocked={whyIncomplete(draft) ?? unchanged}
            >
              Save
            </Button>
          </DialogActions>
        }
      />
    </Dialog>
  );
}

const draftOf = (
  { url, description, types, companyId, ordered }: WebhookEndpoint,
  nameOf: (id: string) => string,
): WebhookDraft => ({
  url,
  description,
  types,
  ordered,
  company: companyId === null ? null : { id: companyId, name: nameOf(companyId), domain: null },
});
