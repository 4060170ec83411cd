import { CopyButton } from '../../ui/copy-button.tsx';

export interface SecretValueProps {
  readonly secret: string;
  /** Label of the button. Default: "Copy secret". */
  readonly label?: string;
}

/** A secret in full, with a button that copies it. */
export const SecretValue = ({ secret, label = 'Copy secret' }: SecretValueProps) => (
  <div className="flex flex-wrap items-center gap-2">
    <code
      data-secret
      className="min-w-0 grow basis-60 rounded-md border border-edge bg-sunken px-3 py-2 wrap-anywhere select-all"
    >
      {secret}
    </code>
    <CopyButton text={secret} label={label} wide />
  </div>
);
