import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { PasswordStep } from './password-step.tsx';

export interface DisableSecondFactorProps {
  readonly onClose: () => void;
}

export function DisableSecondFactor({ onClose }: DisableSecondFactorProps) {
  const client = useQueryClient();
  const [sending, setSending] = useState(false);
  const done = async (): Promise<void> => {
    // Refresh before the dialog closes. It removes the button that opened the dialog, which then must not get the focus.
    await client.invalidateQueries({ queryKey: ['session'] });
    onClose();
    toast('The second factor is off.');
    await client.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Switch off the second factor"
      description="You will sign in with only your password. The authenticator and the backup codes stop working."
      dismissable={!sending}
    >
      <PasswordStep
        path="/auth/two-factor/disable"
        action="Switch off"
        dangerous
        onDone={done}
        onSending={setSending}
        onCancel={onClose}
      />
    </Dialog>
  );
}
