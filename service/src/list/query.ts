import {
  type Direction,
  FIELDS,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PAGE_LIMIT_MIN,
} from '@svc/sdk/contract';
import { type ListDefinition, parametersOf, type Sort, sortsOf } from './definition.ts';
import type { Fields } from './fields.ts';

/** Query parameters as the HTTP layer parsed them: a text, or an array if the parameter was repeated. */
export type RawQuery = Readonly<Record<string, unknown>>;

/** The validated query of a list request (specification, 4.1). */
export interface ListQuery {
  readonly limit: number;
  readonly direction: Direction;
  readonly sort: Sort;
  /** Canonical values, so that two spellings of a time are the same filter. */
  readonly filters: Readonly<Record<string, string>>;
  readonly cursor: string | undefined;
  /** The fields of each item. Default: all. */
  readonly fields?: Fields | undefined;
}

/** A refused parameter: its name and what is allowed, in a sentence. */
export interface QueryFailure {
  readonly parameter: string;
  readonly message: string;
}

export const isQueryFailure = <T extends object>(result: T | QueryFailure): result is QueryFailure =>
  'parameter' in result;

/** A longer name that a client has sent is cut in messages. */
const NAME_MAX_CHARACTERS = 64;

/** Returns the failure of the first parameter that is unknown or repeated. A misspelt filter must not be ignored. */
export function findInvalidParameter(raw: RawQuery, allowed: readonly string[]): QueryFailure | undefined {
  for (const [parameter, value] of Object.entries(raw)) {
    if (!allowed.includes(parameter)) {
      const known = allowed.length === 0 ? 'This path has none.' : `Allowed: ${allowed.join(', ')}.`;
      return {
        parameter,
        message: `Unknown query parameter ${JSON.stringify(parameter.slice(0, NAME_MAX_CHARACTERS))}. ${known}`,
      };
    }
    if (typeof value !== 'string')
      return { parameter, message: `The query parameter "${parameter}" must be given once.` };
  }
  return undefined;
}

const INTEGER = /^(0|[1-9]\d{0,8})$/;

export function parseListQuery(list: ListDefinition, raw: RawQuery): ListQuery | QueryFailure {
  const failure = findInvalidParameter(raw, parametersOf(list));
  if (failure !== undefined) return failure;
  const text = (name: string): string | undefined => {
    const value = raw[name];
    return typeof value === 'string' ? value : undefined;
  };

  const limitText = text('limit');
  const limit =
    limitText === undefined ? PAGE_LIMIT_DEFAULT : INTEGER.test(limitText) ? Number(limitText) : Number.NaN;
  if (!(limit >= PAGE_LIMIT_MIN && limit <= PAGE_LIMIT_MAX)) {
    return {
      parameter: 'limit',
      message: `"limit" must be an integer from ${PAGE_LIMIT_MIN} to ${PAGE_LIMIT_MAX}.`,
    };
  }

  const direction = text('direction') ?? 'forward';
  if (direction !== 'forward' && direction !== 'before') {
    return { parameter: 'direction', message: '"direction" must be forward or before.' };
  }

  const sorts = sortsOf(list);
  const sortName = text('sort');
  const sort = sortName === undefined ? sorts[0] : sorts.find(({ name }) => name === sortName);
  if (sort === undefined) {
    return {
      parameter: 'sort',
      message: `"sort" must be one of ${sorts.map(({ name }) => name).join(', ')}.`,
    };
  }

  const filters: Record<string, string> = {};
  for (const [name, filter] of Object.entries(list.filters)) {
    const given = text(name);
    if (given === undefined) continue;
    const value = filter.parse(given);
    if (value === undefined) return { parameter: name, message: `"${name}" must be ${filter.allowed}.` };
    const own = sorts.filter(({ column }) => column.column === filter.column);
    if (own.length > 0 && !own.includes(sort)) {
      const needed = own.map((each) => each.name).join(' or ');
      return {
        parameter: name,
        message: `"${name}" needs "sort" to be ${needed}: a range is of the field that the list is sorted by.`,
      };
    }
    filters[name] = value;
  }
  const names = text(FIELDS);
  const fields = names === undefined ? undefined : parseFields(names, list.fields ?? []);
  if (fields !== undefined && isQueryFailure(fields)) return fields;
  return { limit, direction, sort, filters, cursor: text('cursor'), fields };
}

/** Reads the value of `fields`: names with a comma between them, each once. */
export function parseFields(text: string, allowed: readonly string[]): Fields | QueryFailure {
  const chosen = new Set<string>();
  for (const name of text.split(',')) {
    const fault = !allowed.includes(name) ? ', which is not a field here' : chosen.has(name) ? ' twice' : '';
    if (fault !== '') {
      const shown = JSON.stringify(name.slice(0, NAME_MAX_CHARACTERS));
      const message = `"${FIELDS}" has ${shown}${fault}. Allowed, with a comma between them: ${allowed.join(', ')}.`;
      return { parameter: FIELDS, message };
    }
    chosen.add(name);
  }
  return chosen.add('id');
}
