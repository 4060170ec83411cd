import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import type { Workspace } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../api/action.ts';
import { call } from '../api/client.ts';
import { useIdempotencyKey } from '../api/idempotency-key.ts';
import { useDraft } from '../session/draft.ts';
import { Button } from '../ui/button.tsx';
import { Form, fieldError } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Dialog, DialogActions } from '../ui/popup/dialog.tsx';

interface NewWorkspaceProps {
  readonly onClose: () => void;
  readonly onCreated: (workspaceId: string) => void;
}

export default function NewWorkspace({ onClose, onCreated }: NewWorkspaceProps) {
  const client = useQueryClient();
  const [name, setName] = useDraft('new workspace', '');
  const idempotencyKey = useIdempotencyKey();
  const create = useAction({
    mutationFn: () => call<Workspace>('/workspaces', { method: 'POST', body: { name }, idempotencyKey }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['me'] });
      onClose();
      onCreated(id);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New workspace"
      description="A workspace has its own companies, records, keys, members and audit log. You become its owner."
    >
      <Form
        action={create}
        fields={['name']}
        unsaved={name !== ''}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" busy={create.isPending}>
              Create workspace
            </Button>
          </DialogActions>
        }
      >
        <TextField
          label="Name"
          required
          autoFocus
          maxLength={NAME_MAX_CHARACTERS}
          autoComplete="organization"
          value={name}
          onChange={setName}
          error={fieldError(create.error, 'name')}
        />
      </Form>
    </Dialog>
  );
}
