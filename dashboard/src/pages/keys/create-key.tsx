import type { KeyAccess, KeyMode } from '@svc/sdk';
import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import type { CompanyNames, CreatedKey, KeyDetails } from '@svc/service/dashboard/wire';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { createKey } from '../../api/keys.ts';
import { When } from '../../format/when.tsx';
import { useDraft } from '../../session/draft.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { changesOf, differ } from '../../ui/form/unsaved.ts';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../ui/popup/leave-question.tsx';
import { CompanyChoice } from './company-choice.tsx';
import {
  LIMIT_FIELDS,
  LimitFields,
  limitsOf,
  NO_LIMITS,
  sameLifetime,
  type TypedLimits,
  typedLimits,
} from './key-limits.tsx';

const LastUsed = ({ at }: { readonly at: string | null }) => (at === null ? 'never' : <When at={at} />);

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

/** A key, with the name of its company. */
interface ReplacedKey {
  readonly details: KeyDetails;
  readonly company: CompanyNames['data'][number] | null;
}

interface Entered extends TypedLimits {
  readonly name: string;
  readonly mode: KeyMode;
  readonly access: KeyAccess;
  /** Null: all companies. Undefined: one company, not yet chosen. */
  readonly company: ReplacedKey['company'] | undefined;
}

/** What the form shows at first: the settings of the key that is replaced. */
function startOf(mode: KeyMode, replaced: ReplacedKey | undefined): Entered {
  if (replaced === undefined) return { name: '', mode, access: 'read', ...NO_LIMITS, company: null };
  const { details, company } = replaced;
  const { key } = details;
  // The expiry date itself is probably near.
  const limits = { ...typedLimits(details), expiry: sameLifetime(key) };
  return { name: key.name, mode: key.mode, access: key.access, ...limits, company };
}

export interface CreateKeyProps {
  readonly workspaceId: string;
  /** The mode that is selected at first. */
  readonly mode: KeyMode;
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedKey) => void;
}

export const CreateKey = (props: CreateKeyProps) => (
  <Dialog open onOpenChange={props.onClose} title="Create an API key">
    <NewKeyForm {...props} />
  </Dialog>
);

export interface NewKeyFormProps extends CreateKeyProps {
  /** The key that is replaced: its settings are selected at first. Default: none. */
  readonly replaced?: ReplacedKey | undefined;
}

/** The form of a dialog that creates a key. */
export function NewKeyForm({ workspaceId, mode: first, replaced, onClose, onCreated }: NewKeyFormProps) {
  const old = replaced?.details.key;
  const [start] = useState(() => startOf(first, replaced));
  // Of a replacement, only what the person changes: somebody else may limit the old key before it is shown again.
  const [typed, setTyped] = useDraft<Partial<Entered>>(
    old === undefined ? `new key ${workspaceId}` : `replace ${old.id}`,
    old === undefined ? start : {},
  );
  const entered = { ...start, ...typed };
  const set = (next: Partial<Entered>): void =>
    setTyped({ ...typed, ...changesOf<Partial<Entered>>(entered, next) });
  const { name, mode, access, company: chosen } = entered;
  // Its name may have been loaded after the form has opened.
  const company = chosen != null && chosen.id === replaced?.company?.id ? replaced.company : chosen;
  const idempotencyKey = useIdempotencyKey();
  const create = useAction({
    mutationFn: () =>
      createKey(
        workspaceId,
        {
          ...{ name, mode, access, companyId: company?.id ?? null, replaces: old?.id ?? null },
          ...limitsOf(entered),
        },
        idempotencyKey,
      ),
    // The response holds the token, so do not cache it.
    gcTime: 0,
    onSuccess: (created) => {
      onClose();
      onCreated(created);
    },
  });
  return (
    <Form
      action={create}
      fields={['name', ...LIMIT_FIELDS]}
      unsaved={differ({ ...entered, company: company?.id }, { ...start, company: start.company?.id })}
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
      {create.isPending ? (
        <LeaveQuestion allowsSignIn>The key is being created. Its token is shown only once.</LeaveQuestion>
      ) : null}
      {old === undefined ? null : (
        <p className="text-soft">
          The new key has the settings of the old one
          {old.expiresAt === null ? '' : ', and the same lifetime from today'}. The old key keeps working.
          Switch your programs to the new token, then revoke the old key. It was last used:{' '}
          <LastUsed at={old.lastUsedAt} />.
        </p>
      )}
      <TextField
        label="Name"
        hint="The program that uses the key, for example “Nightly crawler”."
        required
        autoFocus
        maxLength={NAME_MAX_CHARACTERS}
        autoComplete="off"
        value={name}
        onChange={(next) => set({ name: next })}
        error={fieldError(create.error, 'name')}
      />
      <Choice<KeyMode> label="Mode" value={mode} onChange={(next) => set({ mode: next })} options={MODES} />
      <Choice<KeyAccess>
        label="Access"
        value={access}
        onChange={(next) => set({ access: next })}
        options={ACCESS}
      />
      <CompanyChoice
        workspaceId={workspaceId}
        company={company}
        onChange={(next) => set({ company: next })}
      />
      <LimitFields limits={entered} onChange={set} error={create.error} />
    </Form>
  );
}
