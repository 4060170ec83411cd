import { setTimeout as delay } from 'node:timers/promises';
import { createRepeats } from '@svc/turns/attempts';
import { createRounds } from '@svc/turns/rounds';
import type pg from 'pg';
import type { Logger } from 'pino';
import { noticeQuotas, publishEvents } from '../changes/publish-events.ts';
import { warnOfExpiringKeys } from './expiring-keys.ts';

const PAUSE_MS = 1_000;
/** How often quotas and expiry dates of keys are looked at, because that reads rows of all workspaces. */
const NOTICES_PAUSE_MS = 10_000;
/** The pause after a failure. */
const RETRY_PAUSE_MS = 5_000;

/**
 * Publishes events of workspaces every second, and looks at their quotas and keys every ten, until the signal.
 * `announce` gets the workspaces with new changes.
 */
export async function keepPublishing(
  pool: pg.Pool,
  log: Logger,
  announce: (workspaceIds: readonly string[]) => unknown,
  signal: AbortSignal,
): Promise<void> {
  const [ofEvents, ofKeys] = [createRounds(), createRounds()];
  const attempt = createRepeats((name, error) => log.warn({ err: error }, `${name}; trying again`));
  const noteEvents = (error: unknown, workspaceId: string) =>
    log.warn({ err: error, workspaceId }, 'the events of a workspace cannot be published; trying again');
  const noteKey = (error: unknown, key: string) =>
    log.warn({ err: error, key }, 'a workspace cannot be warned that a key expires; trying again');
  const publish = () => publishEvents(pool, announce, noteEvents, ofEvents);
  let noticesAt = 0;
  while (!signal.aborted) {
    if (performance.now() >= noticesAt) {
      noticesAt = performance.now() + NOTICES_PAUSE_MS;
      await attempt('workspaces cannot be told of their quotas now', () => noticeQuotas(pool));
      await attempt('workspaces cannot be warned of keys now', () =>
        warnOfExpiringKeys(pool, noteKey, ofKeys),
      );
    }
    const published = await attempt('events of workspaces cannot be published now', publish);
    await delay(published ? PAUSE_MS : RETRY_PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}
