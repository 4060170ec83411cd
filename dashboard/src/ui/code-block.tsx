import { CopyButton } from './copy-button.tsx';

export interface CodeBlockProps {
  readonly code: string;
  /** What the code is: "curl". */
  readonly label: string;
}

export const CodeBlock = ({ code, label }: CodeBlockProps) => (
  <div className="relative rounded-md border border-line bg-sunken">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section aria-label={label} tabIndex={0} className="overflow-x-auto p-3 pe-12">
      <pre>
        <code>{code}</code>
      </pre>
    </section>
    <div className="absolute end-1.5 top-1.5 rounded-md bg-sunken">
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  </div>
);
