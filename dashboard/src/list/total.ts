import { counted, type Noun } from '../format/plural.ts';

/** The number of items of a list. */
export interface Total {
  readonly count: number;
  /** Whether the list can have more items than those that were counted. */
  readonly more: boolean;
}

/** The service counts this many rows at most. */
const COUNTED_MAX = 10_000;

/** "1,234 mentions", "over 10,000 mentions", or, if few of the counted rows match the filters, "at least 12 mentions". */
export function totalText({ count, more }: Total, noun: Noun): string {
  if (!more) return counted(count, noun);
  return `${count >= COUNTED_MAX ? 'over' : 'at least'} ${counted(count, noun)}`;
}
