import { createContext, useContext, useEffect } from 'react';

/** What a person has entered and not yet sent. */
export interface UnsavedInput {
  /** Whether it would be lost now. False while the form is being sent. */
  readonly current: () => boolean;
}
type Inputs = Set<UnsavedInput>;

const shown: Inputs = new Set();

/** The inputs of a dialog. Null outside of dialogs. */
export const UnsavedOfDialog = createContext<Inputs | null>(null);

/** Whether anything that a person has entered would be lost. Default: on the page and in its dialogs. */
export const hasUnsaved = (inputs: ReadonlySet<UnsavedInput> = shown): boolean =>
  [...inputs].some(({ current }) => current());

/** While `unsaved` is true, the page, and the dialog that contains the form, ask before they are left. */
export function useUnsaved(unsaved: boolean, isSending: () => boolean): void {
  const dialog = useContext(UnsavedOfDialog);
  useEffect(() => {
    if (!unsaved) return;
    const input = { current: () => !isSending() };
    shown.add(input);
    dialog?.add(input);
    return () => {
      shown.delete(input);
      dialog?.delete(input);
    };
  }, [unsaved, dialog, isSending]);
}

/** Whether two values of a form, as JSON, differ. */
export const differ = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) !== JSON.stringify(other);

/** The values of a form that differ from those before. */
export const changesOf = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => differ(value, before[name as keyof T])),
  ) as Partial<T>;
