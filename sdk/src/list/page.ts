import type { Direction } from '../contract/index.ts';
import type { Signal } from '../signal.ts';
import type { ListEnvelope } from '../wire.ts';

/** One page of a list. Its items are always in the order of the list. `More`: what only this list has in `pagination`. */
export interface Page<T, More = unknown> {
  readonly data: readonly T[];
  readonly pagination: ListEnvelope<T>['pagination'] & More;
}

/** The items of a page in the order in which an iteration in this direction yields them. */
export const inDirection = <T>({ data }: Page<T>, direction: Direction): readonly T[] =>
  direction === 'forward' ? data : data.toReversed();

/** Requests one page. A null cursor requests the first page in this direction. */
export type ReadPage<T, More = unknown> = (request: {
  readonly cursor: string | null;
  readonly direction: Direction;
  readonly limit: number | undefined;
  /**
   * Aborts the request.
   * @default the signal of the list
   */
  readonly signal?: Signal | undefined;
}) => Promise<Page<T, More>>;
