import type { IssuedKey } from '@svc/service/src/dashboard/wire.ts';
import { TriangleAlert } from 'lucide-react';
import { serviceUrl } from '../../base.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { snippets } from './snippets.ts';

export interface TokenDialogProps {
  readonly issued: IssuedKey;
  readonly onClose: () => void;
}

/** The only time that a token is seen. Only its button closes it. */
export function TokenDialog({ issued: { key, token }, onClose }: TokenDialogProps) {
  return (
    <Dialog open onOpenChange={onClose} title={`The token of “${key.name}”`} wide dismissable={false}>
      <p className="flex gap-2 rounded-md bg-warn-ground px-3 py-2 text-warn">
        <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
        Copy it now. It is shown this once: the service keeps only a hash of it.
      </p>
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <code
          data-token
          className="min-w-0 grow basis-72 rounded-md border border-edge bg-sunken px-3 py-2 wrap-anywhere select-all"
        >
          {token}
        </code>
        <CopyButton text={token} label="Copy token" wide />
      </div>
      <h3 className="mt-5 mb-1 font-medium">Try it</h3>
      <Tabs
        label="Language"
        tabs={snippets(serviceUrl(), token).map(({ id, label, code }) => ({
          id,
          label,
          content: <CodeBlock code={code} label={`${label} example`} />,
        }))}
      />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          I have kept it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
