import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { OVERLAY_CLASS } from './panel.ts';
import { useReturnFocus } from './return-focus.ts';

export interface BareDialogProps {
  /** Only for screen readers. */
  readonly title: string;
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** An open dialog without a visible heading and buttons of its own. */
export function BareDialog({ title, className, onClose, children }: BareDialogProps) {
  const returnFocus = useReturnFocus(true);
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY_CLASS} />
        <Dialog.Content aria-describedby={undefined} onCloseAutoFocus={returnFocus} className={className}>
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
