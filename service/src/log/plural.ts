const number = new Intl.NumberFormat('en');
const plurals = new Intl.PluralRules('en');

/** `2,000`. */
export const numberText = (count: number): string => number.format(count);

/** `1 key`, `2,000 keys`. */
export const counted = (count: number, one: string, many: string): string =>
  `${numberText(count)} ${plurals.select(count) === 'one' ? one : many}`;
