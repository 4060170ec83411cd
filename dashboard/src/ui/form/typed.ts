import { useState } from 'react';

/** The text of a field: what is known, until the person types. A change by somebody else then does not count as input. */
export function useTyped(known: string): [text: string, setTyped: (text: string) => void] {
  const [typed, setTyped] = useState<string | null>(null);
  if (typed === known) setTyped(null);
  return [typed ?? known, setTyped];
}
