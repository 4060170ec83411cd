import { CopyButton } from '../../ui/copy-button.tsx';
import { QrCode } from '../../ui/qr-code.tsx';

export interface ScanStepProps {
  /** `otpauth:` address. */
  readonly uri: string;
}

const GROUP = /.{1,4}/g;

export function ScanStep({ uri }: ScanStepProps) {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-3">
      <QrCode text={uri} label="QR code for the authenticator" />
      <div className="min-w-0 flex-1 basis-52">
        <p>Scan the code with your authenticator app.</p>
        <p className="mt-3 text-soft">If you cannot scan it, enter this key in the app:</p>
        <div className="mt-1 flex items-start gap-1">
          <code className="min-w-0 grow rounded-md border border-line bg-sunken px-2 py-1 wrap-anywhere">
            {(secret.match(GROUP) ?? []).join(' ')}
          </code>
          <CopyButton text={secret} label="Copy the key" />
        </div>
      </div>
    </div>
  );
}
