import type { SignedIn } from '@svc/service/dashboard/wire';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { PasswordField } from './password-field.tsx';
import { SecondStep } from './second-step.tsx';

export interface SignInFormProps {
  /** Email address of the account, if it is known. Default: the form asks for it. */
  readonly email?: string;
  readonly action?: string;
  /** Called when the session exists. */
  readonly onSignedIn: () => Promise<unknown>;
}

/** Asks for email address and password, then for the second factor if the account has one. */
export function SignInForm({ email: known, action = 'Sign in', onSignedIn }: SignInFormProps) {
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [second, setSecond] = useState(false);
  const signIn = useAction({
    meta: { signsIn: true },
    mutationFn: () => call<SignedIn>('/auth/sign-in/email', { method: 'POST', body: { email, password } }),
    onSuccess: async ({ twoFactorRedirect }) => {
      if (twoFactorRedirect === true) setSecond(true);
      else await onSignedIn();
    },
  });
  if (second) return <SecondStep onSignedIn={onSignedIn} onRestart={() => setSecond(false)} />;
  return (
    <Form
      action={signIn}
      fields={[]}
      unsaved={false}
      actions={
        <Button type="submit" variant="primary" busy={signIn.isPending}>
          {action}
        </Button>
      }
    >
      {known === undefined ? (
        <TextField
          label="Email address"
          type="email"
          required
          autoFocus
          autoComplete="username"
          value={email}
          onChange={setEmail}
        />
      ) : (
        <input type="hidden" name="username" autoComplete="username" value={known} />
      )}
      <PasswordField autoFocus={known !== undefined} value={password} onChange={setPassword} />
      <p className="text-sm text-soft">
        Forgotten your password? An owner of your workspace, or the operator, can give you a link.
      </p>
    </Form>
  );
}
