/** The singular and the plural. */
export type Noun = readonly [one: string, many: string];

const rules = new Intl.PluralRules('en');

/** "1 audit", "2,000 audits". */
export const counted = (count: number, [one, many]: Noun): string =>
  `${count.toLocaleString()} ${rules.select(count) === 'one' ? one : many}`;
