import type { ReactNode } from 'react';
import { When } from '../../format/when.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { ShownOnce } from '../../ui/popup/shown-once.tsx';

export interface OneTimeLinkProps {
  readonly title: string;
  readonly link: string;
  readonly expiresAt: string;
  /** What the link does and who may have it. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Shows a link that works once and is shown once. */
export const OneTimeLink = ({ title, link, expiresAt, children, onClose }: OneTimeLinkProps) => (
  <Dialog open onOpenChange={onClose} title={title} dismissable={false}>
    <ShownOnce what="The link" />
    <p className="text-soft">
      {children} It works once, expires on <When at={expiresAt} form="full" />, and is shown only now.
    </p>
    <code className="mt-4 block rounded-md border border-edge bg-sunken px-3 py-2 wrap-anywhere select-all">
      {link}
    </code>
    <DialogActions>
      <CopyButton text={link} label="Copy link" wide />
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    </DialogActions>
  </Dialog>
);
