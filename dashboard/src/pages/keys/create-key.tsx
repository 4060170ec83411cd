import type { KeyAccess, KeyMode } from '@svc/sdk';
import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import type { CompanyNames, CreatedKey } from '@svc/service/dashboard/wire';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { createKey } from '../../api/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { CompanyChoice } from './company-choice.tsx';

const MODES = [
  { value: 'live', label: 'Live', hint: 'Requests count towards the live quota and are in the audit log.' },
  {
    value: 'test',
    label: 'Test',
    hint: 'Reads the same data, without quota and audit log. Writes change nothing.',
  },
] as const;
const ACCESS = [
  { value: 'read', label: 'Read', hint: 'Reads lists, counts and single records.' },
  { value: 'write', label: 'Read and write', hint: 'Also creates, changes and deletes records.' },
] as const;

export interface CreateKeyProps {
  readonly workspaceId: string;
  /** The mode that is selected at first. */
  readonly mode: KeyMode;
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedKey) => void;
}

export function CreateKey({ workspaceId, mode: first, onClose, onCreated }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [mode, setMode] = useState<KeyMode>(first);
  const [access, setAccess] = useState<KeyAccess>('read');
  /** Null: all companies. Undefined: one company, not yet chosen. */
  const [company, setCompany] = useState<CompanyNames['data'][number] | null | undefined>(null);
  const idempotencyKey = useIdempotencyKey();
  const create = useAction({
    mutationFn: () =>
      createKey(workspaceId, { name, mode, access, companyId: company?.id ?? null }, idempotencyKey),
    // The response holds the token, so do not cache it.
    gcTime: 0,
    onSuccess: (created) => {
      onClose();
      onCreated(created);
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title="Create an API key">
      <Form
        action={create}
        fields={['name']}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={create.isPending}
              blocked={company === undefined ? 'Choose a company first.' : undefined}
            >
              Create key
            </Button>
          </DialogActions>
        }
      >
        <TextField
          label="Name"
          hint="The program that uses the key, for example “Nightly crawler”."
          required
          autoFocus
          maxLength={NAME_MAX_CHARACTERS}
          autoComplete="off"
          value={name}
          onChange={setName}
          error={fieldError(create.error, 'name')}
        />
        <Choice<KeyMode> label="Mode" value={mode} onChange={setMode} options={MODES} />
        <Choice<KeyAccess> label="Access" value={access} onChange={setAccess} options={ACCESS} />
        <CompanyChoice workspaceId={workspaceId} company={company} onChange={setCompany} />
      </Form>
    </Dialog>
  );
}
