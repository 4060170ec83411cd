import type { ApiKey } from '@svc/sdk';
import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import type { KeyDetails } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { changeKey, keyQuery } from '../../api/keys.ts';
import { When } from '../../format/when.tsx';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { changesOf } from '../../ui/form/unsaved.ts';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { LIMIT_FIELDS, LimitFields, limitsOf, typedLimits } from './key-limits.tsx';

export interface EditKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Changes the name and the limits of a key. */
export function EditKey(props: EditKeyProps) {
  const { workspaceId, apiKey, onClose } = props;
  const { data, error } = useQuery(keyQuery(workspaceId, apiKey.id));
  return (
    <Dialog open onOpenChange={onClose} title={`Edit “${apiKey.name}”`}>
      {data !== undefined ? (
        <EditForm {...props} details={data} />
      ) : error === null ? (
        <Skeleton className="h-72" />
      ) : (
        <Problem>{messageOf(error)}</Problem>
      )}
    </Dialog>
  );
}

function EditForm({
  workspaceId,
  details,
  onClose,
  onChanged,
}: EditKeyProps & { readonly details: KeyDetails }) {
  const { key, createdBy } = details;
  const [first] = useState(() => ({ name: key.name, limits: typedLimits(details) }));
  const [name, setName] = useState(first.name);
  const [limits, setLimits] = useState(first.limits);
  // Only what the person changes is sent: it keeps what somebody else has changed meanwhile.
  const changes = changesOf({ name: first.name, ...limitsOf(first.limits) }, { name, ...limitsOf(limits) });
  const unchanged = Object.keys(changes).length === 0 ? 'Nothing has changed.' : undefined;
  const save = useAction({
    mutationFn: () => changeKey(workspaceId, key.id, changes),
    onSuccess: async () => {
      await onChanged();
      onClose();
    },
  });
  return (
    <Form
      action={save}
      fields={['name', ...LIMIT_FIELDS]}
      unsaved={unchanged === undefined}
      actions={
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={save.isPending} blocked={unchanged}>
            Save
          </Button>
        </DialogActions>
      }
    >
      <p className="text-soft">
        Created <When at={key.createdAt} />
        {createdBy === null ? '' : ` by ${createdBy}`}. A change of networks or burst limit takes effect
        within 30 seconds.
      </p>
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={NAME_MAX_CHARACTERS}
        autoComplete="off"
        value={name}
        onChange={setName}
        error={fieldError(save.error, 'name')}
      />
      <LimitFields
        limits={limits}
        presentExpiry={first.limits.expiry}
        onChange={setLimits}
        error={save.error}
      />
    </Form>
  );
}
