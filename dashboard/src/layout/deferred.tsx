import { type ReactNode, startTransition, useEffect, useState } from 'react';

/** What lies below a page's beginning: rendered once that is there, in pieces that do not hold up the browser. */
export function Deferred({ children }: { readonly children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => startTransition(() => setDue(true)), []);
  return due ? children : null;
}
