import { textOf } from '../checked-options.ts';
import { SvcError } from '../errors.ts';

/**
 * Returns a query string that starts with `?`, or an empty string if all values are undefined. Throws {@link
 * SvcError} if a value is null, NaN, an object or the like. Otherwise `companyId: null` would search for a company
 * with the id "null".
 */
export function queryText(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.append(name, valueText(name, value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function valueText(name: string, value: unknown): string {
  const isValue =
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value));
  if (isValue) return String(value);
  throw new SvcError(`"${name}" is ${textOf(value)}. Pass a string, a number or a boolean, or leave it out.`);
}

/** Like {@link queryText}, for the parameters of a list. It also throws {@link SvcError} if a value is empty. */
export function listQuery(values: Readonly<Record<string, unknown>>): string {
  for (const [name, value] of Object.entries(values)) {
    if (value === '') throw new SvcError(`"${name}" is empty. Pass a value, or leave it out.`);
  }
  return queryText(values);
}

/** The names of fields as the service reads them. Throws {@link SvcError} if they are not an array of names. */
export function fieldsText(fields: unknown): string {
  if (
    Array.isArray(fields) &&
    fields.length > 0 &&
    fields.every((name) => typeof name === 'string' && name !== '')
  )
    return fields.join(',');
  throw new SvcError(`"fields" is ${textOf(fields)}. Pass an array of names, or leave it out.`);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns an id as a path segment. Throws {@link SvcError} if it is not a string, has half of a character or would lead to
 * another path.
 */
export function idSegment(id: string): string {
  if (typeof id !== 'string') throw new SvcError(`An id must be a string, not ${textOf(id)}.`);
  if (id === '') throw new SvcError('An id must not be empty.');
  if (id === '.' || id === '..') throw new SvcError(`"${id}" cannot be an id.`);
  if (LONE_SURROGATE.test(id))
    throw new SvcError('An id must not have half of a character (a lone surrogate).');
  return encodeURIComponent(id);
}
