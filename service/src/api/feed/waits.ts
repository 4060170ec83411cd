import { createPlaces, type Places } from '@svc/rate-limiter/places';
import { WAITS_PER_KEY_MAX } from '@svc/sdk/contract';
import { WAITS_MAX, WAITS_PER_WORKSPACE_MAX } from '../../config/limits.ts';
import { DAY_MS } from '../../config/time.ts';
import { ApiError, unavailable } from '../../http/errors.ts';
import type { AuthenticatedKey, ConfirmedKey } from '../../keys/authenticate.ts';
import type { ChangeSignals } from '../../signals/signals.ts';
import { invalidKey, mayUse, networkNotAllowed } from '../authentication.ts';

/** `changes`: there may be changes. `late`: the time is over. `ended`: the client is gone, or the process shuts down. */
export type Woken = 'changes' | 'late' | 'ended';

/** A request that waits for changes of its workspace. It holds no database connection while it waits. */
export interface Wait {
  /**
   * Resolves at the next change, or after `ms`. Changes between two calls are not missed. Throws the refusal once the key is
   * no longer valid, or no longer allowed from the address, or if that cannot be confirmed. One call at a time.
   */
  next(ms: number): Promise<Woken>;
  /**
   * Asks the database whether the key is valid and allowed from the address, and when it expires: `next` throws then. Throws
   * the refusal.
   */
  confirm(): Promise<void>;
  /** The key. Its validity is that of the last confirmation, so that the units of its quota need no check. */
  readonly key: AuthenticatedKey;
  /** Whether the wait has ended, the process shuts down or the key is no longer valid. */
  readonly over: boolean;
  /** Ends the wait and frees its place. */
  end(): void;
}

/** All requests of a process that wait for changes. */
export interface Waits {
  /**
   * Takes a place. Throws `rate_limited` if the key or its workspace has too many, and `unavailable` if the process has.
   * `address`: of the client; undefined if the proxies name none. `onOver` is called when the wait is over, but not by
   * `end`: with the failure if the key is refused.
   */
  open(key: AuthenticatedKey, address: string | undefined, onOver?: (failure: unknown) => void): Wait;
  /** How many are open. */
  readonly size: number;
  /** Ends all waits, and those that are opened later. */
  close(): void;
}

export interface WaitOptions {
  readonly signals: Pick<ChangeSignals, 'watch'>;
  /** Asks the database whether a key is still valid. Undefined: it is not. */
  readonly confirm: (key: AuthenticatedKey) => Promise<ConfirmedKey | undefined>;
}

export function createWaits({ signals, confirm }: WaitOptions): Waits {
  const places = createPlaces(WAITS_MAX);
  const open = new Set<() => void>();
  let closed = false;
  const confirmOnce = sharing(confirm);
  return {
    open(key, address, onOver) {
      const leave = takePlace(places, key);
      let current = key;
      let failure: unknown;
      let over = closed;
      let changed = false;
      let ended = false;
      let wake: (() => void) | undefined;
      const finish = (reason?: unknown): void => {
        if (over || ended) return;
        over = true;
        clearTimeout(expiry);
        failure = reason;
        wake?.();
        onOver?.(reason);
      };
      let expiry: NodeJS.Timeout | undefined;
      const checkKey = async (): Promise<void> => {
        try {
          const confirmed = await confirmOnce(key);
          clearTimeout(expiry);
          if (confirmed === undefined) return finish(invalidKey(true));
          current = { ...key, validity: confirmed.validity };
          if (!mayUse(confirmed, () => address)) return finish(networkNotAllowed());
          if (confirmed.expiresInMs === null || over || ended) return;
          // The clocks of this process and of the database differ, so the database is asked again.
          expiry = setTimeout(checkKey, Math.min(Math.max(confirmed.expiresInMs, 1), DAY_MS));
        } catch (error) {
          // It may be revoked.
          finish(error);
        }
      };
      const stopWatching = signals.watch(key.workspaceId, {
        onChange() {
          changed = true;
          wake?.();
        },
        onKeys: () => void checkKey(),
      });
      const shutDown = (): void => finish();
      open.add(shutDown);
      return {
        async next(ms) {
          if (!over && !changed && ms > 0) {
            const { promise, resolve } = Promise.withResolvers<void>();
            wake = resolve;
            const timer = setTimeout(resolve, ms);
            await promise;
            clearTimeout(timer);
            wake = undefined;
          }
          if (failure !== undefined) throw failure;
          if (over || ended) return 'ended';
          if (!changed) return 'late';
          changed = false;
          return 'changes';
        },
        async confirm() {
          await checkKey();
          if (failure !== undefined) throw failure;
        },
        get key() {
          return current;
        },
        get over() {
          return over || ended;
        },
        end() {
          if (ended) return;
          ended = true;
          clearTimeout(expiry);
          stopWatching();
          open.delete(shutDown);
          leave();
          wake?.();
        },
      };
    },
    get size() {
      return open.size;
    },
    close() {
      closed = true;
      for (const end of open) end();
    },
  };
}

/** Confirms each key with one statement for all who ask for it in the same turn of the event loop. */
function sharing(confirm: WaitOptions['confirm']): WaitOptions['confirm'] {
  const asked = new Map<string, Promise<ConfirmedKey | undefined>>();
  return (key) => {
    const name = `${key.keyId} ${key.tokenVersion}`;
    const known = asked.get(name);
    if (known !== undefined) return known;
    const asking = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      asked.delete(name);
      return confirm(key);
    });
    asked.set(name, asking);
    return asking;
  };
}

/** `Retry-After` if too many requests of a key or workspace wait. */
export const RETRY_SECONDS = '5';

/** Takes a place for a wait. Returns the function that frees it. Throws `rate_limited` or `unavailable`. */
function takePlace(places: Places, { workspaceId, keyId }: AuthenticatedKey): () => void {
  const place = places.take([
    { name: `key ${workspaceId} ${keyId}`, most: WAITS_PER_KEY_MAX },
    { name: `workspace ${workspaceId}`, most: WAITS_PER_WORKSPACE_MAX },
  ]);
  if (typeof place === 'function') return place;
  if (place === 'all') throw unavailable();
  const [owner = ''] = place.name.split(' ');
  const message = `At most ${place.most} requests of this ${owner} may wait for changes here.`;
  throw new ApiError('rate_limited', message, { 'retry-after': RETRY_SECONDS });
}
