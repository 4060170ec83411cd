import { SvcError } from './errors.ts';
import { nearest } from './near.ts';

/**
 * The options of a call, when they are an object with known names only: an option that is misspelt would be ignored, an
 * `idempotencykey` among them. Throws {@link SvcError}. TypeScript finds this by itself; JavaScript does not.
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

/** The options, when they are an object or undefined. */
export function checkedObject<T extends object>(options: T | undefined): T | undefined {
  const value: unknown = options;
  if (value === undefined || (typeof value === 'object' && value !== null)) return options;
  // Not the value: it may be an API key.
  throw new SvcError(`The options must be an object, not ${value === null ? 'null' : typeof value}.`);
}

/** A value, in a message of an error. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : Array.isArray(value) ? 'an array' : String(value);
