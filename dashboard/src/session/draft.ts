import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';

/** What is typed now, by the name of the draft. */
const shown = new Map<string, unknown>();
/** What was typed when the session ended, and by whom. */
let kept: { readonly email: string; readonly drafts: Map<string, unknown> } | null = null;

/**
 * State like that of `useState`, for what a person types. If the session ends meanwhile, the same person finds it again
 * after the sign-in. It is only in memory: a reload forgets it. Never use it for a password or a token.
 */
export function useDraft<T>(name: string, initial: T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => {
    const drafts = kept?.drafts;
    return drafts?.has(name) === true ? (drafts.get(name) as T) : initial;
  });
  useEffect(() => {
    kept?.drafts.delete(name);
    shown.set(name, value);
    return () => void shown.delete(name);
  }, [name, value]);
  return [value, setValue];
}

/** Call when the session of a person ends. */
export function keepDrafts(email: string): void {
  kept = { email, drafts: new Map(shown) };
}

/** Call when a person is signed in: forgets what somebody else has typed. */
export function forgetDraftsOfOthers(email: string): void {
  if (kept?.email !== email) kept = null;
}
