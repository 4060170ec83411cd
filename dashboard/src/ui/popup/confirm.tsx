import { AlertDialog as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { Button, buttonClass } from '../button.tsx';
import { classes } from '../classes.ts';
import { Problem } from '../problem.tsx';
import { OVERLAY_CLASS, PANEL_CLASS } from './panel.ts';
import { useReturnFocus } from './return-focus.ts';

export interface ConfirmProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  /** What happens, and whether it can be undone. */
  readonly children: ReactNode;
  /** Label of the button: "Revoke key". */
  readonly action: string;
  readonly dangerous?: boolean;
  /** Label of the button that changes nothing. Default: Cancel. */
  readonly cancel?: string;
  /** The dialog closes when this resolves. After a failure it stays open and shows the error. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks for confirmation. The button that changes nothing has the focus at first. */
export function Confirm(props: ConfirmProps) {
  const {
    open,
    onOpenChange,
    title,
    children,
    action,
    dangerous = false,
    cancel = 'Cancel',
    onConfirm,
  } = props;
  const returnFocus = useReturnFocus(open);
  const { run, error, isPending, reset } = useAction({ mutationFn: () => onConfirm() });
  // A ref, not state: a second click can come before the next render.
  const locked = useRef(false);
  useEffect(() => {
    if (open) locked.current = false;
  }, [open]);
  const confirm = async (): Promise<void> => {
    if (locked.current || !(await run())) return;
    // While the dialog closes.
    locked.current = true;
    onOpenChange(false);
  };
  const change = (next: boolean): void => {
    if (isPending) return;
    reset();
    onOpenChange(next);
  };
  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        {/* Above a dialog that is already open. */}
        <Radix.Overlay className={classes(OVERLAY_CLASS, 'z-50!')} />
        <Radix.Content
          onCloseAutoFocus={returnFocus}
          className={classes(PANEL_CLASS, 'overflow-y-auto p-5 sm:max-w-md')}
        >
          <Radix.Title className="text-lg font-semibold wrap-anywhere">{title}</Radix.Title>
          <Radix.Description asChild>
            <div className="mt-2 flex flex-col gap-2 text-soft">{children}</div>
          </Radix.Description>
          {error === null ? null : <Problem className="mt-3">{messageOf(error)}</Problem>}
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <Radix.Cancel className={buttonClass('secondary')}>{cancel}</Radix.Cancel>
            <Button
              variant={dangerous ? 'danger' : 'primary'}
              busy={isPending}
              onClick={() => void confirm()}
            >
              {action}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
