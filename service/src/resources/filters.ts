import { canonicalTime, TIME_ALLOWED } from '@svc/exact-times/canonical-time';
import { type Field, ID_ALLOWED, isId, type RangeFilter, SEARCH_MAX_CHARACTERS } from '@svc/sdk/contract';
import { type Comparison, type Filter, type SearchedTexts, textThat } from '../list/definition.ts';

/** The filters of a list, as its resource declares them. */

const isText = (text: string, max: number): boolean => text !== '' && fits(text, max) && !text.includes('\0');
/** Whether a text has at most so many characters: code points, as in records, each of one or two units. */
const fits = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

/** The field equals the value. */
export function equalityFilter(field: Field, column: string): Filter {
  if (field.kind === 'text') {
    const { max } = field;
    const parse = textThat((text) => isText(text, max));
    return { column, parse, allowed: `text of 1 to ${max} characters, without U+0000` };
  }
  if (field.kind !== 'choice') return { column, parse: textThat(isId), allowed: `an id: ${ID_ALLOWED}` };
  const { values } = field;
  const parse = textThat((text) => values.includes(text));
  return { column, parse, allowed: `one of ${values.join(', ')}` };
}

/** The time is in a range. */
export const timeFilter = (operator: Comparison['operator'], column: string): Filter => ({
  column,
  comparison: { operator, type: 'timestamptz' },
  parse: (text) => canonicalTime(text, 'microseconds'),
  allowed: TIME_ALLOWED,
});

const INTEGER = /^-?(0|[1-9]\d{0,8})$/;

/** The field that the list is sorted by is in a range. */
export function rangeFilter({ field, operator }: RangeFilter, column: string): Filter {
  if (field.kind === 'time') return timeFilter(operator, column);
  const { min, max } = field;
  return {
    column,
    comparison: { operator, type: 'smallint' },
    parse: textThat((text) => INTEGER.test(text) && Number(text) >= min && Number(text) <= max),
    allowed: `an integer from ${min} to ${max}`,
  };
}

/** Each word of the text begins a word of the record, or the text is its id. */
export const searchFilter: Filter = {
  column: 'words',
  comparison: { operator: 'search', type: 'text' },
  parse: textThat((text) => isText(text, SEARCH_MAX_CHARACTERS)),
  allowed: `text of 1 to ${SEARCH_MAX_CHARACTERS} characters, without U+0000`,
};

/** The title and the URL. A domain is the host of a URL. */
export function searchedTexts([title = 'title', url = 'url']: readonly string[]): SearchedTexts {
  return { title, url: url === 'domain' ? "'//' || domain" : url };
}
