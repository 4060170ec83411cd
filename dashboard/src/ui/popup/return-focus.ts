import { useState } from 'react';

interface Origin {
  readonly open: boolean;
  readonly element: Element | null;
}

/**
 * For a dialog's `onCloseAutoFocus`: the focus goes back to where it was when the dialog opened. Where that is gone (a
 * row that was removed), it goes to the content, not to the top of the page.
 */
export function useReturnFocus(open: boolean): () => void {
  const [origin, setOrigin] = useState<Origin>({ open: false, element: null });
  // While it renders for the first time: a field of the dialog may take the focus as soon as it is there.
  if (origin.open !== open) setOrigin({ open, element: open ? document.activeElement : origin.element });
  return () => {
    const { element } = origin;
    queueMicrotask(() => {
      const target =
        element !== document.body && element?.isConnected ? element : document.querySelector('#main');
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    });
  };
}
