import type { Workspace } from '@svc/service/src/dashboard/wire.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';

export interface NewWorkspaceProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onCreated: (workspaceId: string) => void;
}

export function NewWorkspace({ open, onOpenChange, onCreated }: NewWorkspaceProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => call<Workspace>('/workspaces', { method: 'POST', body: { name } }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['me'] });
      setName('');
      onOpenChange(false);
      onCreated(id);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="New workspace"
      description="A workspace has its own companies, records, keys, members and audit log. You become its owner."
    >
      <form onSubmit={submit}>
        <Field label="Name" error={create.error?.message}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={100}
              autoComplete="organization"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <DialogActions>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            Create workspace
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
