import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { DialogActions } from '../../ui/popup/dialog.tsx';
import { PasswordField } from '../sign-in/password-field.tsx';

export interface PasswordStepProps<Answer> {
  /** Endpoint that receives the password. */
  readonly path: string;
  readonly action: string;
  readonly dangerous?: boolean;
  readonly onDone: (answer: Answer) => unknown;
  /** Called with whether a request runs. Its dialog must not close meanwhile, because the response would not be seen. */
  readonly onSending: (sending: boolean) => void;
  readonly onCancel: () => void;
}

/** Why the dialog cannot be closed while its request runs. */
export const WAIT = 'Wait for the response.';

/** Asks for the password before a change to the sign-in. */
export function PasswordStep<Answer>(props: PasswordStepProps<Answer>) {
  const { path, action, dangerous = false, onDone, onSending, onCancel } = props;
  const [password, setPassword] = useState('');
  const send = useAction({
    mutationFn: () => call<Answer>(path, { method: 'POST', body: { password } }),
    onMutate: () => onSending(true),
    onSuccess: (answer) => onDone(answer),
    onSettled: () => onSending(false),
  });
  return (
    <Form
      action={send}
      fields={[]}
      unsaved={false}
      actions={
        <DialogActions>
          <Button blocked={send.isPending ? WAIT : undefined} onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" variant={dangerous ? 'danger' : 'primary'} busy={send.isPending}>
            {action}
          </Button>
        </DialogActions>
      }
    >
      <PasswordField autoFocus label="Your password" value={password} onChange={setPassword} />
    </Form>
  );
}
