import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { PasswordStep } from './password-step.tsx';

export interface DisableSecondFactorProps {
  readonly onClose: () => void;
}

export function DisableSecondFactor({ onClose }: DisableSecondFactorProps) {
  const client = useQueryClient();
  const done = async (): Promise<void> => {
    // Before the dialog closes: the button that opened it goes away, and the focus must not go with it.
    await client.invalidateQueries({ queryKey: ['session'] });
    onClose();
    toast('The second factor is off.');
    await client.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Switch the second factor off"
      description="From then on the password alone signs you in. The authenticator's entry and the backup codes stop working."
    >
      <PasswordStep
        path="/auth/two-factor/disable"
        action="Switch off"
        dangerous
        onDone={done}
        onCancel={onClose}
      />
    </Dialog>
  );
}
