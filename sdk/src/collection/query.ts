import { textOf } from '../checked-options.ts';
import { SvcError } from '../errors.ts';

/**
 * The text of a query string with `?`, without what is undefined; empty when nothing is left. Throws {@link SvcError} on
 * null, NaN and other values that no parameter has: as text, an unset `companyId` would be a company that is not there.
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
  throw new SvcError(`"${name}" is ${textOf(value)}. Give it text, a number or a boolean, or leave it out.`);
}

/** The same for the parameters of a list, of which none is empty. */
export function listQuery(values: Readonly<Record<string, unknown>>): string {
  for (const [name, value] of Object.entries(values)) {
    if (value === '') throw new SvcError(`"${name}" is empty. Give it a value, or leave it out.`);
  }
  return queryText(values);
}

/** An id as a segment of a path. Throws {@link SvcError} on what would name another path. */
export function idSegment(id: string): string {
  if (typeof id !== 'string') throw new SvcError(`An id must be text, not ${textOf(id)}.`);
  if (id === '') throw new SvcError('An id must not be empty.');
  if (id === '.' || id === '..') throw new SvcError(`"${id}" cannot be an id.`);
  return encodeURIComponent(id);
}
