import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { isFailure } from '../../api/failure.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { digitsOf } from './digits.ts';

const WAYS = {
  totp: {
    path: '/auth/two-factor/verify-totp',
    label: 'Code from your authenticator',
    other: 'Use a backup code',
    input: { inputMode: 'numeric', autoComplete: 'one-time-code', placeholder: '123456' },
    sent: digitsOf,
  },
  backup: {
    path: '/auth/two-factor/verify-backup-code',
    label: 'Backup code',
    other: 'Use the authenticator',
    input: { autoComplete: 'off', autoCapitalize: 'none', placeholder: 'xxxxx-xxxxx' },
    sent: (code: string) => code.trim(),
  },
} as const;

export interface SecondStepProps {
  readonly onSignedIn: () => Promise<unknown>;
  /** Called to return to the password, because the sign-in has expired. */
  readonly onRestart: () => void;
}

/** Asks for the second factor after the password. */
export function SecondStep({ onSignedIn, onRestart }: SecondStepProps) {
  const [way, setWay] = useState<keyof typeof WAYS>('totp');
  const [code, setCode] = useState('');
  const { path, label, other, input, sent } = WAYS[way];
  const verify = useAction({
    meta: { signsIn: true },
    mutationFn: () => call(path, { method: 'POST', body: { code: sent(code) } }),
    onSuccess: onSignedIn,
  });
  const change = (): void => {
    setWay(way === 'totp' ? 'backup' : 'totp');
    setCode('');
    verify.reset();
  };
  const over = isFailure(verify.error, 'not_signed_in');
  return (
    <Form
      action={verify}
      fields={['code']}
      unsaved={false}
      actions={
        <>
          {over ? (
            <Button onClick={onRestart}>Start again</Button>
          ) : (
            <Button type="submit" variant="primary" busy={verify.isPending}>
              Sign in
            </Button>
          )}
          <Button variant="ghost" onClick={change}>
            {other}
          </Button>
        </>
      }
    >
      <TextField
        key={way}
        label={label}
        required
        autoFocus
        className="font-mono tracking-widest"
        {...input}
        value={code}
        onChange={setCode}
        error={fieldError(verify.error, 'code')}
      />
    </Form>
  );
}
