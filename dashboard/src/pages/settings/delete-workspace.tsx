import { WORKSPACE_RESTORE_DAYS } from '@svc/service/dashboard/limits';
import type { DeletedWorkspace, Workspace } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call, ofWorkspace } from '../../api/client.ts';
import { forgetWorkspace } from '../../session/lost-workspace.ts';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { toast } from '../../ui/toast/toast-store.ts';

/** Deletes the workspace, after its owner has typed its name. */
export function DeleteWorkspace({ workspace }: { readonly workspace: Workspace }) {
  const [asking, setAsking] = useState(false);
  return (
    <Section
      title="Delete this workspace"
      description={`Its keys, webhooks and pages stop at once, for everybody. An owner can restore it for ${WORKSPACE_RESTORE_DAYS} days; then its data is removed for good.`}
    >
      <div>
        <Button
          variant="danger"
          blocked={whyNot(workspace.role, 'deletion.manage')}
          onClick={() => setAsking(true)}
        >
          Delete workspace
        </Button>
      </div>
      {asking ? <DeleteDialog workspace={workspace} onClose={() => setAsking(false)} /> : null}
    </Section>
  );
}

/** A text as a page shows it: several spaces are one. */
const shown = (text: string): string => text.trim().replace(/\s+/g, ' ');

interface DeleteDialogProps {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

function DeleteDialog({ workspace: { id, name }, onClose }: DeleteDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const remove = useAction({
    mutationFn: () => call<DeletedWorkspace>(ofWorkspace(id), { method: 'DELETE', body: { name } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['me'] });
      onClose();
      await navigate({ to: '/' });
      forgetWorkspace(client, id);
      toast(`${name} was deleted. The list of workspaces shows until when you can restore it.`);
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title={`Delete ${name}?`} dismissable={!remove.isPending}>
      <Form
        action={remove}
        fields={['name']}
        unsaved={false}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              variant="danger"
              busy={remove.isPending}
              blocked={shown(typed) === shown(name) ? undefined : 'Type the name of the workspace first.'}
            >
              Delete workspace
            </Button>
          </DialogActions>
        }
      >
        <p className="text-soft">
          Requests with its API keys get 401 from now on. Members no longer see it, and nothing more is sent
          to its webhooks.
        </p>
        <TextField
          label={`Type “${name}” to confirm`}
          required
          autoFocus
          autoComplete="off"
          value={typed}
          onChange={setTyped}
          error={fieldError(remove.error, 'name')}
        />
      </Form>
    </Dialog>
  );
}
