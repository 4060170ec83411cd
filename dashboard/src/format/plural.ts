import { LOCALE } from './locale.ts';
import { formatNumber } from './number.ts';

/** The singular and the plural of a noun. */
export type Noun = readonly [one: string, many: string];

const rules = new Intl.PluralRules(LOCALE);

/** The form of the noun for the number: "audit" for 1, "audits" for other numbers. */
const plural = (count: number, [one, many]: Noun): string => (rules.select(count) === 'one' ? one : many);

/** The number with its noun: "1 audit", "2,000 audits". */
export const counted = (count: number, noun: Noun): string => `${formatNumber(count)} ${plural(count, noun)}`;
