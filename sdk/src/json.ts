import { SvcError } from './errors.ts';

/**
 * Returns a value as JSON. Throws {@link SvcError} if JSON cannot represent it. That includes NaN, Infinity and
 * invalid dates: `JSON.stringify` writes null for them, which would clear a field without notice.
 */
export function jsonText(value: unknown, what: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, refuseLoss);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    throw new SvcError(`${what} cannot be written as JSON: ${reason.replace(/\.?$/, '.')}`, { cause: error });
  }
  if (text === undefined) throw new SvcError(`${what} cannot be written as JSON: it is ${typeof value}.`);
  return text;
}

function refuseLoss(this: unknown, name: string, value: unknown): unknown {
  const original: unknown = Object(this)[name];
  const lost =
    (typeof value === 'number' && !Number.isFinite(value)) ||
    (original instanceof Date && Number.isNaN(original.getTime()));
  if (lost) throw new SvcError(`${name === '' ? 'it' : `"${name}"`} is ${String(original)}.`);
  return value;
}
