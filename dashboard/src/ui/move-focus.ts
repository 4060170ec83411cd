/**
 * Where the focus goes if the control that has it disappears because it was used. Without this, it would be lost, and a
 * person with a keyboard or a screen reader would begin at the top of the window again.
 */

const CONTROLS = 'a[href], button, input, select, textarea';

/** The content of the page. */
const main = (): HTMLElement | null => document.getElementById('main');

/** To the content of the page. */
export const focusMain = (): void => main()?.focus({ preventScroll: true });

/** Whether the focus is still at the control that was used, or was lost with it. */
export const keptFocus = (used: Element | null): boolean =>
  document.activeElement === used || document.activeElement === document.body;

/** To the first filter of the list that is no field for text, which would open the keyboard of a phone. */
export const focusFirstFilter = (): void =>
  (document.querySelector<HTMLElement>('search :is(select, button:not([hidden]))') ?? main())?.focus();

/** From a control in an item of a list to the next item with a control, else to the one before, else to the page. */
export function focusNextItem(control: Element): void {
  const item = control.closest('li');
  const items = [...(item?.parentElement?.children ?? [])];
  const at = item === null ? -1 : items.indexOf(item);
  const others = [...items.slice(at + 1), ...items.slice(0, Math.max(0, at)).reverse()];
  const next = others
    .map((other) => other.querySelector<HTMLElement>(CONTROLS))
    .find((found) => found !== null);
  (next ?? main())?.focus();
}
