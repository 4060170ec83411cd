import { PositionedChanges } from './positioned.ts';

export interface ChangeTailOptions {
  /**
   * Where to begin. `start` yields all changes that the service still stores, `now` only new ones. Any other value is a
   * position: the `position` of an earlier tail or stream, the `pagination.position` of a page or the id of a change.
   * @default 'start'
   */
  readonly after?: string | undefined;
  /**
   * Whether to wait for new changes. If false, the tail ends at the newest change.
   * @default true
   */
  readonly follow?: boolean | undefined;
}

/**
 * Yields the changes of the workspace in the order of their commits, and waits for new ones. It skips none and repeats
 * none. Store {@link position} to continue there later.
 *
 * A change arrives as soon as it is committed: the service holds each request for up to 25 seconds until there is a
 * change. With a live key, each request counts towards the quota.
 *
 * Throws `SvcPositionExpiredError` if the changes after its position are no longer stored. Then read the lists again, or
 * let `copyChanges` do that.
 *
 * @example
 * const tail = svc.changes.tail({ after: stored });
 * for await (const change of tail) {
 *   await handle(change);
 *   await store(tail.position);
 * }
 */
export class ChangeTail extends PositionedChanges {}
