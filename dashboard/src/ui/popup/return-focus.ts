import { useState } from 'react';

interface Origin {
  readonly open: boolean;
  readonly element: Element | null;
}

/**
 * For the `onCloseAutoFocus` of a dialog. Returns the focus to the element that had it when the dialog opened. If that
 * element is gone, such as a removed row, focuses the content of the page.
 */
export function useReturnFocus(open: boolean): () => void {
  const [origin, setOrigin] = useState<Origin>({ open: false, element: null });
  // During the first render, before a field of the dialog can take the focus.
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
