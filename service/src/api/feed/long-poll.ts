import { setTimeout as delay } from 'node:timers/promises';
import { clientAddress } from '@svc/ip-addresses/proxies';
import { WAIT_MAX_SECONDS } from '@svc/sdk/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WAIT_READ_PAUSE_MS } from '../../config/limits.ts';
import { ApiError } from '../../http/errors.ts';
import type { AuthenticatedKey } from '../../keys/authenticate.ts';
import type { Waits } from './waits.ts';

/** What a long poll knows of a page of changes. */
export interface ChangePage {
  /** Where the next read begins. */
  readonly position: string | undefined;
  /** Whether the page has changes, or there are more. */
  readonly hasItems: boolean;
}

export interface LongPollOptions {
  readonly waits: Waits;
  /** Asks the database whether the quota allows the key a request now. Throws the refusal. */
  readonly confirmQuota: (key: AuthenticatedKey) => Promise<void>;
}

/** The seconds in `wait`. Default: 0. Throws `invalid_parameter`. */
export function waitSeconds(wait: unknown): number {
  if (wait === undefined) return 0;
  const seconds = /^\d{1,2}$/.test(String(wait)) ? Number(wait) : Number.NaN;
  if (seconds <= WAIT_MAX_SECONDS) return seconds;
  throw new ApiError('invalid_parameter', `"wait" must be an integer from 0 to ${WAIT_MAX_SECONDS}.`);
}

/**
 * Reads a page of changes. If it is empty, waits for changes and reads again, at most for `seconds`. Returns the empty page
 * if the time is over, the client is gone or the process shuts down. Confirms the key and the quota before it waits.
 */
export async function longPoll<Page extends ChangePage>(
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  after: string,
  seconds: number,
  read: (after: string) => Promise<Page>,
  { waits, confirmQuota }: LongPollOptions,
): Promise<Page> {
  if (seconds === 0) return read(after);
  const wait = waits.open(key, clientAddress(request));
  const response = reply.raw;
  response.once('close', wait.end);
  try {
    const endMs = performance.now() + seconds * 1000;
    let page = await read(after);
    if (page.hasItems) return page;
    await wait.confirm();
    await confirmQuota(key);
    while (!response.destroyed) {
      const sinceMs = performance.now();
      const woken = await wait.next(endMs - sinceMs);
      request.waitedMs += performance.now() - sinceMs;
      if (woken !== 'changes') break;
      page = await read(page.position ?? after);
      const leftMs = endMs - performance.now();
      if (page.hasItems || leftMs <= 0) break;
      // The changes of a busy workspace that the filters leave out are read a few times a second.
      await delay(Math.min(WAIT_READ_PAUSE_MS, leftMs));
    }
    return page;
  } finally {
    response.off('close', wait.end);
    wait.end();
  }
}
