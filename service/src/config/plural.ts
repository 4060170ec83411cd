const number = new Intl.NumberFormat('en');
const plurals = new Intl.PluralRules('en');

/** Formats a number: `2,000`. */
export const numberText = (count: number): string => number.format(count);

/** A number with its noun: `1 key`, `2,000 keys`. */
export const counted = (count: number, one: string, many: string): string =>
  `${numberText(count)} ${plurals.select(count) === 'one' ? one : many}`;
