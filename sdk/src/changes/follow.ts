import type { Timing } from '../http/retry.ts';
import type { Page } from '../list/page.ts';
import type { Signal } from '../signal.ts';
import type { Change, Positioned } from '../wire.ts';

/** `after` of a tail that begins with the oldest change that the service stores. */
export const START = 'start';
/** `after` of a tail that begins with the next change. */
export const NOW = 'now';

/** Reads the changes after a position, at most one page. */
export type ReadChanges = (request: {
  readonly after: string;
  /** How long the service waits for a change, in seconds. Undefined: it responds at once. */
  readonly wait: number | undefined;
  readonly signal: Signal | undefined;
}) => Promise<Page<Change, Positioned>>;

export interface FollowOptions {
  readonly after: string;
  /** Whether to wait for further changes at the end of the feed. */
  readonly follow: boolean;
  readonly signal: Signal | undefined;
}

/** Less than the 30 seconds after which many proxies end a request without a response. */
const WAIT_SECONDS = 25;
/** A service that shuts down responds without waiting. Then there is a pause, so that requests do not follow in a loop. */
const SHORT_WAIT_MS = 1_000;

/** Yields each page of changes after a position, also the empty ones. */
export async function* followChanges(
  read: ReadChanges,
  { after, follow, signal }: FollowOptions,
  timing: Timing,
): AsyncGenerator<Page<Change, Positioned>, void, undefined> {
  for (let position = after; ; ) {
    const wait = follow && position !== START ? WAIT_SECONDS : undefined;
    const startMs = timing.now();
    const page = await read({ after: position, wait, signal });
    yield page;
    position = page.pagination.position;
    if (page.pagination.nextCursor !== null) continue;
    if (!follow) return;
    if (page.data.length === 0 && timing.now() - startMs < SHORT_WAIT_MS)
      await timing.sleep(SHORT_WAIT_MS, signal);
  }
}
