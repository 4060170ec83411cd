import { setTimeout as delay } from 'node:timers/promises';
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
  let failing = false;
  let noticesAt = 0;
  while (!signal.aborted) {
    let pauseMs = PAUSE_MS;
    try {
      if (performance.now() >= noticesAt) {
        noticesAt = performance.now() + NOTICES_PAUSE_MS;
        await noticeQuotas(pool);
        await warnOfExpiringKeys(pool);
      }
      await publishEvents(pool, announce, (error, workspaceId) =>
        log.warn({ err: error, workspaceId }, 'the events of a workspace cannot be published; trying again'),
      );
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'events of workspaces cannot be published now; trying again');
      failing = true;
      pauseMs = RETRY_PAUSE_MS;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
