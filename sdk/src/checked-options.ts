import { SvcError } from './errors.ts';
import { nearest } from './near.ts';

/**
 * Returns the options of a call, or an empty object if there are none. Throws {@link SvcError} if they are not an
 * object or have an unknown name: otherwise a misspelled `idempotencykey` would be ignored. TypeScript finds such
 * mistakes itself, but JavaScript does not.
 */
export function checkedOptions<T extends object>(
  options: T | undefined,
  known: readonly (keyof T & string)[],
): T | Record<string, never> {
  if (checkedObject(options) === undefined || options === undefined) return {};
  for (const name of Object.keys(options)) {
    if (known.some((one) => one === name)) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? `The options are ${known.join(', ')}.` : `Did you mean "${near}"?`;
    throw new SvcError(`There is no option "${name}". ${hint}`);
  }
  return options;
}

/** Returns the options if they are an object or undefined. Throws {@link SvcError} otherwise. */
export function checkedObject<T extends object>(options: T | undefined): T | undefined {
  const value: unknown = options;
  if (value === undefined || (typeof value === 'object' && value !== null)) return options;
  // The message does not contain the value, because the value may be an API key.
  throw new SvcError(`The options must be an object, not ${value === null ? 'null' : typeof value}.`);
}

/** A value as text for an error message. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : Array.isArray(value) ? 'an array' : String(value);
