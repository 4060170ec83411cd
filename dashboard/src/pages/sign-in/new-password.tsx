import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { NewPasswordField } from './password-field.tsx';

export interface NewPasswordProps {
  /** Token of the reset link. */
  readonly token: string;
  readonly email: string;
  readonly onDone: () => void;
}

export function NewPassword({ token, email, onDone }: NewPasswordProps) {
  const [password, setPassword] = useState('');
  const reset = useAction({
    mutationFn: () => call<void>('/password-reset', { method: 'POST', body: { token, password } }),
    gcTime: 0,
    onSuccess: onDone,
  });
  return (
    <Form
      action={reset}
      fields={['password']}
      unsaved={false}
      actions={
        <Button type="submit" variant="primary" busy={reset.isPending}>
          Set password
        </Button>
      }
    >
      {/* Password managers store the password under this name. */}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordField
        label="New password"
        value={password}
        onChange={setPassword}
        error={fieldError(reset.error, 'password')}
      />
    </Form>
  );
}
