import { type ReactNode, startTransition, useEffect, useState } from 'react';

/** Renders its children after the rest of the page, as a transition that does not block the browser. */
export function Deferred({ children }: { readonly children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => startTransition(() => setDue(true)), []);
  return due ? children : null;
}
