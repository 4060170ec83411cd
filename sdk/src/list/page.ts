import type { Signal } from '../signal.ts';
import type { ListEnvelope } from '../wire.ts';

/** One page of a list, as the service gave it: items always in the list's order. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: ListEnvelope<T>['pagination'];
}

export type Direction = 'forward' | 'before';

/** Items of a page as a walk in this direction meets them. */
export const inDirection = <T>({ data }: Page<T>, direction: Direction): readonly T[] =>
  direction === 'forward' ? data : data.toReversed();

/** Asks for one page. A null cursor: the first page in the direction of travel. */
export type ReadPage<T> = (request: {
  readonly cursor: string | null;
  readonly direction: Direction;
  readonly limit: number | undefined;
  /** Ends the request. Default: the list's own signal. */
  readonly signal?: Signal | undefined;
}) => Promise<Page<T>>;

/** The service's maximum; walks ask for it unless told otherwise. */
export const PAGE_LIMIT_MAX = 100;
