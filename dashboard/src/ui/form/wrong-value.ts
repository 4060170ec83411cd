import { createContext } from 'react';
import { formatNumber } from '../../format/number.ts';

/** What is wrong with the values of a form, by the id of the control. */
export type WrongValues = ReadonlyMap<string, string>;
export const NO_WRONG_VALUES: WrongValues = new Map();
export const WrongValuesOfForm = createContext(NO_WRONG_VALUES);

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLSelectElement ||
  element instanceof HTMLTextAreaElement;

/** Why the browser refuses the value of a control, in words; null if it does not. */
export function wrongValueOf(element: Element): string | null {
  if (!isControl(element) || !element.willValidate || element.validity.valid) return null;
  const { type, validity } = element;
  if (validity.badInput) return type === 'number' ? 'Enter a number.' : `Enter ${dateOf(type)}.`;
  if (validity.valueMissing) return missing(type);
  if (validity.typeMismatch) {
    return type === 'email'
      ? 'Enter an email address, such as ada@example.com.'
      : 'Enter a URL, such as https://example.com.';
  }
  if (validity.stepMismatch) return 'Enter a whole number.';
  const { min, max, minLength } = element as HTMLInputElement;
  const date = /date/.test(type);
  if (validity.rangeUnderflow)
    return date ? `Choose ${limit(type, min)} or later.` : `Enter at least ${limit(type, min)}.`;
  if (validity.rangeOverflow)
    return date ? `Choose ${limit(type, max)} or earlier.` : `Enter at most ${limit(type, max)}.`;
  if (validity.tooShort) return `Enter at least ${formatNumber(minLength)} characters.`;
  // In the language of the browser. None of our controls has another rule.
  return element.validationMessage;
}

function missing(type: string): string {
  if (type === 'select-one') return 'Choose a value.';
  return /date/.test(type) ? `Enter ${dateOf(type)}.` : 'Enter a value.';
}

const dateOf = (type: string): string => (type === 'date' ? 'a complete date' : 'a complete date and time');

const limit = (type: string, value: string): string =>
  type === 'number' ? formatNumber(Number(value)) : value.replace('T', ' ');

/** All wrong values of a form, in the order of the controls. */
export function wrongValuesOf({ elements }: HTMLFormElement): WrongValues {
  return new Map(
    [...elements].flatMap((element) => {
      const problem = wrongValueOf(element);
      return problem === null ? [] : [[element.id, problem] as const];
    }),
  );
}
