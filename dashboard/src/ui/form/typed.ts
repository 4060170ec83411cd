import { useState } from 'react';

/**
 * The text of a field: what is known, until the person types. So a change by somebody else is not taken for theirs. Null
 * forgets what they have typed.
 */
export function useTyped(known: string): [text: string, setTyped: (text: string | null) => void] {
  const [typed, setTyped] = useState<string | null>(null);
  if (typed === known) setTyped(null);
  return [typed ?? known, setTyped];
}
