import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DialogActions } from '../../ui/popup/dialog.tsx';
import { ShownOnce } from '../../ui/popup/shown-once.tsx';
import { saveFile } from '../../ui/save-file.ts';

export interface BackupCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export const BackupCodes = ({ codes, onDone }: BackupCodesProps) => (
  <>
    <ShownOnce what="The list of backup codes" />
    <p className="text-soft">
      If you lose your authenticator, sign in with one of these codes. Each code works once. The codes are
      shown only now, so save them with your passwords.
    </p>
    <ul className="mt-4 grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md border border-line bg-sunken p-4">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <DialogActions>
      <CopyButton text={codes.join('\n')} label="Copy codes" wide />
      <Button onClick={() => saveFile(new Blob([`${codes.join('\n')}\n`]), 'svc-backup-codes.txt')}>
        Download
      </Button>
      <Button variant="primary" onClick={onDone}>
        Done, I've saved them
      </Button>
    </DialogActions>
  </>
);
