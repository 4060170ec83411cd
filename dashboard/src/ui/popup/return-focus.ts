import { useState } from 'react';

interface Origin {
  readonly open: boolean;
  readonly element: Element | null;
}

/**
 * For the `onCloseAutoFocus` of a dialog. Returns the focus to the element that had it when the dialog opened. If that
 * element is gone, such as a removed row, and nothing else has the focus, focuses the content of the page.
 */
export function useReturnFocus(open: boolean): () => void {
  const [origin, setOrigin] = useState<Origin>({ open: false, element: null });
  // During the first render, before a field of the dialog can take the focus.
  if (origin.open !== open) setOrigin({ open, element: open ? document.activeElement : origin.element });
  return () => {
    const { element } = origin;
    queueMicrotask(() => {
      const gone = element === document.body || element?.isConnected !== true;
      // A dialog that closes at the same time may have returned the focus.
      if (gone && document.activeElement !== document.body) return;
      const target = gone ? document.querySelector('#main') : element;
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    });
  };
}
