import type { ApiKey } from '@svc/sdk';
import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import type { KeyDetails } from '@svc/service/dashboard/wire';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { changeKey } from '../../api/keys.ts';
import { When } from '../../format/when.tsx';
import { useDraft } from '../../session/draft.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { changesOf } from '../../ui/form/unsaved.ts';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useFreshKey } from './fresh-key.ts';
import { LIMIT_FIELDS, LimitFields, limitsOf, type TypedLimits, typedLimits } from './key-limits.tsx';

export interface EditKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Changes the name and the limits of a key. */
export function EditKey(props: EditKeyProps) {
  const { workspaceId, apiKey, onClose } = props;
  const { details, error } = useFreshKey(workspaceId, apiKey.id);
  return (
    <Dialog open onOpenChange={onClose} title={`Edit “${apiKey.name}”`}>
      {details !== undefined ? (
        <EditForm {...props} details={details} />
      ) : error === null ? (
        <Skeleton className="h-72" />
      ) : (
        <Problem>{messageOf(error)}</Problem>
      )}
    </Dialog>
  );
}

interface Entered extends TypedLimits {
  readonly name: string;
}

const settingsOf = (entered: Entered) => ({ name: entered.name, ...limitsOf(entered) });

function EditForm({
  workspaceId,
  details,
  onClose,
  onChanged,
}: EditKeyProps & { readonly details: KeyDetails }) {
  const { key, createdBy } = details;
  const [first] = useState<Entered>(() => ({ name: key.name, ...typedLimits(details) }));
  // Only what the person changes is kept and sent: what somebody else has changed meanwhile stays.
  const [typed, setTyped] = useDraft<Partial<Entered>>(`edit ${key.id}`, {});
  const entered = { ...first, ...typed };
  const set = (next: Partial<Entered>): void =>
    setTyped({ ...typed, ...changesOf<Partial<Entered>>(entered, next) });
  const changes = changesOf(settingsOf(first), settingsOf(entered));
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
        value={entered.name}
        onChange={(name) => set({ name })}
        error={fieldError(save.error, 'name')}
      />
      <LimitFields limits={entered} presentExpiry={first.expiry} onChange={set} error={save.error} />
    </Form>
  );
}
