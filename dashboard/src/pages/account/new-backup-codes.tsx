import type { SecondFactorSetUp } from '@svc/service/dashboard/wire';
import { useState } from 'react';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../ui/popup/leave-question.tsx';
import { BackupCodes } from './backup-codes.tsx';
import { PasswordStep } from './password-step.tsx';

export interface NewBackupCodesProps {
  readonly onClose: () => void;
}

export function NewBackupCodes({ onClose }: NewBackupCodesProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [sending, setSending] = useState(false);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={codes === null ? 'New backup codes' : 'Save your backup codes'}
      {...(codes === null ? { description: 'Your current backup codes stop working.' } : {})}
      dismissable={codes === null && !sending}
    >
      {sending ? (
        <LeaveQuestion allowsSignIn>The codes are being created. They are shown only once.</LeaveQuestion>
      ) : null}
      {codes === null ? (
        <PasswordStep<Pick<SecondFactorSetUp, 'backupCodes'>>
          path="/auth/two-factor/generate-backup-codes"
          action="Create new codes"
          onDone={({ backupCodes }) => setCodes(backupCodes)}
          onSending={setSending}
          onCancel={onClose}
        />
      ) : (
        <BackupCodes codes={codes} onDone={onClose} />
      )}
    </Dialog>
  );
}
