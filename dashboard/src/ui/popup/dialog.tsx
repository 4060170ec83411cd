import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { buttonClass } from '../button.tsx';
import { classes } from '../classes.ts';
import { hasUnsaved, type UnsavedInput, UnsavedOfDialog } from '../form/unsaved.ts';
import DiscardChanges from './discard-changes.tsx';
import { OVERLAY_CLASS, PANEL_CLASS } from './panel.ts';
import { useReturnFocus } from './return-focus.ts';

export interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly wide?: boolean;
  /** If false, only a button in the dialog closes it. For dialogs with content that must not be lost. Default: true. */
  readonly dismissable?: boolean;
  readonly children: ReactNode;
}

/** If a form in it has unsaved input, it asks before Escape, its X or a click next to it closes it. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, wide = false, dismissable = true, children } = props;
  const returnFocus = useReturnFocus(open);
  const keep = (event: Event): void => {
    if (!dismissable) event.preventDefault();
  };
  const [inputs] = useState(() => new Set<UnsavedInput>());
  const [asking, setAsking] = useState(false);
  const change = (next: boolean): void => {
    if (!next && hasUnsaved(inputs)) setAsking(true);
    else onOpenChange(next);
  };
  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        <Radix.Overlay className={OVERLAY_CLASS} />
        <Radix.Content
          className={classes(PANEL_CLASS, wide ? 'sm:max-w-2xl' : 'sm:max-w-lg')}
          onInteractOutside={keep}
          onEscapeKeyDown={keep}
          onCloseAutoFocus={returnFocus}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <div className="flex items-start gap-4 border-b border-line px-5 py-3.5">
            <div className="min-w-0 grow">
              <Radix.Title className="text-lg font-semibold wrap-anywhere">{title}</Radix.Title>
              {description === undefined ? null : (
                <Radix.Description className="mt-0.5 text-soft">{description}</Radix.Description>
              )}
            </div>
            {dismissable ? (
              <Radix.Close
                aria-label="Close"
                className={classes(buttonClass('ghost', 'small-icon'), '-me-1.5')}
              >
                <X size={16} aria-hidden />
              </Radix.Close>
            ) : null}
          </div>
          <div className="min-h-0 overflow-y-auto px-5 py-4">
            <UnsavedOfDialog value={inputs}>{children}</UnsavedOfDialog>
          </div>
          {asking ? (
            <DiscardChanges onDiscard={() => onOpenChange(false)} onKeep={() => setAsking(false)} />
          ) : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The buttons at the end of a dialog. They stay visible while the rest scrolls. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="sticky -bottom-4 -mx-5 mt-4 -mb-4 flex in-[form]:mt-0 flex-wrap justify-end gap-2 rounded-b-xl border-t border-line bg-raised px-5 py-3">
    {children}
  </div>
);
