import type { SecondFactorSetUp } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../ui/popup/leave-question.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { digitsOf } from '../sign-in/digits.ts';
import { BackupCodes } from './backup-codes.tsx';
import { PasswordStep, WAIT } from './password-step.tsx';
import { ScanStep } from './scan-step.tsx';

export interface EnableSecondFactorProps {
  readonly onClose: () => void;
}

/** Sets up a second factor in three steps: password, authenticator with its first code, backup codes. */
export function EnableSecondFactor({ onClose }: EnableSecondFactorProps) {
  const client = useQueryClient();
  const [setUp, setSetUp] = useState<SecondFactorSetUp | null>(null);
  const [sending, setSending] = useState(false);
  const [code, setCode] = useState('');
  const verify = useAction({
    mutationFn: () =>
      call('/auth/two-factor/verify-totp', { method: 'POST', body: { code: digitsOf(code) } }),
  });
  const finish = async (): Promise<void> => {
    // Refresh before the dialog closes. It removes the button that opened the dialog, which then must not get the focus.
    await client.invalidateQueries({ queryKey: ['session'] });
    onClose();
    toast('The second factor is on.');
    await client.invalidateQueries({ queryKey: ['sessions'] });
  };
  const title = verify.isSuccess ? 'Save your backup codes' : 'Set up an authenticator';
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      // The backup codes are shown only once.
      dismissable={!sending && !verify.isPending && !verify.isSuccess}
    >
      {verify.isPending ? (
        <LeaveQuestion allowsSignIn>
          The second factor is being switched on. Its backup codes are shown only once.
        </LeaveQuestion>
      ) : null}
      {setUp === null ? (
        <PasswordStep<SecondFactorSetUp>
          path="/auth/two-factor/enable"
          action="Continue"
          onDone={setSetUp}
          onSending={setSending}
          onCancel={onClose}
        />
      ) : verify.isSuccess ? (
        <BackupCodes codes={setUp.backupCodes} onDone={() => void finish()} />
      ) : (
        <Form
          action={verify}
          fields={['code']}
          unsaved={false}
          actions={
            <DialogActions>
              <Button blocked={verify.isPending ? WAIT : undefined} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" variant="primary" busy={verify.isPending}>
                Switch on
              </Button>
            </DialogActions>
          }
        >
          <ScanStep uri={setUp.totpURI} />
          <TextField
            autoFocus
            label="Code from the app"
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            placeholder="123456"
            className="max-w-40 font-mono tracking-widest"
            value={code}
            onChange={setCode}
            error={fieldError(verify.error, 'code')}
          />
        </Form>
      )}
    </Dialog>
  );
}
