import { SvcError } from './errors.ts';

/**
 * A value as JSON. Throws {@link SvcError} on what JSON cannot hold, also where `JSON.stringify` would quietly write null:
 * a number that is none, and a date that is none, would empty a field.
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
