import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { toast } from './toast/toast-store.ts';

const DONE_MS = 1_500;

export interface CopyButtonProps {
  readonly text: string;
  /** "Copy token" */
  readonly label: string;
  /** Shows the label next to the icon. */
  readonly wide?: boolean;
}

export function CopyButton({ text, label, wide = false }: CopyButtonProps) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), DONE_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => {
    copyText(text).then(
      () => setDone(true),
      () => toast('The browser did not allow copying. Select the text and copy it.', 'bad'),
    );
  };
  const Icon = done ? Check : Copy;
  return (
    <Button
      size={wide ? 'medium' : 'small-icon'}
      variant={wide ? 'secondary' : 'ghost'}
      aria-label={label}
      onClick={copy}
    >
      <Icon size={14} aria-hidden className={done ? 'text-good' : undefined} />
      {wide ? (done ? 'Copied' : label) : null}
      <span role="status" className="sr-only">
        {done ? 'Copied' : ''}
      </span>
    </Button>
  );
}

/** Browsers have the clipboard API only on secure origins. Elsewhere this uses execCommand. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  // Next to the button: an open dialog does not let the focus leave.
  (document.activeElement?.parentElement ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (!copied) throw new Error('not allowed');
}
