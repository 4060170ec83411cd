import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';

/** What is typed now, by the name of the draft. */
const shown = new Map<string, unknown>();
/** What was typed on pages that the person has left. */
const left = new Map<string, unknown>();
let leftBy: string | undefined;
/** What was typed when the session ended, and by whom. */
let kept: { readonly email: string; readonly drafts: Map<string, unknown> } | null = null;

/**
 * State like that of `useState`, for what a person types. If the session ends meanwhile, the same person finds it again
 * after the sign-in. It is only in memory: a reload forgets it. Never use it for a password or a token. All that a dialog
 * sends is in one draft, so that it does not come back in part.
 */
export function useDraft<T>(name: string, initial: T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => {
    const drafts = [kept?.drafts, left].find((some) => some?.has(name));
    return drafts === undefined ? initial : (drafts.get(name) as T);
  });
  useEffect(() => {
    kept?.drafts.delete(name);
    shown.set(name, value);
    return () => void shown.delete(name);
  }, [name, value]);
  return [value, setValue];
}

/** Like `useDraft`. The person also finds it again when they leave the page and come back. */
export function useLastingDraft<T>(name: string, initial: T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useDraft(name, initial);
  useEffect(() => void left.set(name, value), [name, value]);
  return [value, setValue];
}

/** Call when the session of a person ends. */
export function keepDrafts(email: string): void {
  kept = { email, drafts: new Map(shown) };
}

/** Call when a person signs out. */
export function forgetDrafts(): void {
  kept = null;
  left.clear();
}

/** Call when a person is signed in: forgets what somebody else has typed. */
export function forgetDraftsOfOthers(email: string): void {
  if (kept?.email !== email) kept = null;
  if (leftBy !== email) left.clear();
  leftBy = email;
}
