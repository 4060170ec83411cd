import { CopyButton } from './copy-button.tsx';

export interface CodeBlockProps {
  readonly code: string;
  /** Name of the code, such as "curl". */
  readonly label: string;
  /** The text that the button copies. Default: the code. */
  readonly copied?: string;
}

export const CodeBlock = ({ code, label, copied = code }: CodeBlockProps) => (
  <div className="flex items-start rounded-md border border-line bg-sunken">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
    <section aria-label={label} tabIndex={0} className="min-w-0 grow overflow-x-auto p-3">
      <pre>
        <code>{code}</code>
      </pre>
    </section>
    <div className="shrink-0 p-1.5">
      <CopyButton text={copied} label={`Copy ${label}`} />
    </div>
  </div>
);
