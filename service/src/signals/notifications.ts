import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Announcer, createAnnouncer } from '@svc/signals/announcer';
import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import type { Logger } from 'pino';
import { SIGNAL_PAUSE_MS, SIGNALS_WAITING_MAX } from '../config/limits.ts';
import { createPool } from '../database/pool.ts';
import { statement } from '../database/statement.ts';

/** Carries topics to all nodes with NOTIFY and LISTEN of PostgreSQL, never inside a transaction of other work. */

/** The database connections of a node: one that listens, and one that notifies. */
export const SIGNAL_CONNECTIONS = 2;

const PROBE_PAUSE_MS = 30_000;
const PROBE_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** The pause after no notification arrived on a connection. A pooler will not deliver the next ones either. */
const UNHEARD_PAUSE_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 5_000;

/** PostgreSQL allows fewer than 8,000 bytes. */
const PAYLOAD_MAX_BYTES = 7_900;

const listen = statement('listen_for_changes', 'control')`listen svc_changes`;
/** The notification need not be on the disk, so its commit does not wait for the disk. */
const notify = statement('notify_changes', 'control')`
  select set_config('synchronous_commit', 'off', true), pg_notify('svc_changes', payload)
  from unnest($1::text[]) as payload`;

/** Payloads of the sender's id and as many topics as fit, separated by spaces. Without topics: one payload. */
function payloadsOf(sender: string, topics: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  let payload = sender;
  for (const topic of topics) {
    if (Buffer.byteLength(payload) + 1 + Buffer.byteLength(topic) > PAYLOAD_MAX_BYTES) {
      payloads.push(payload);
      payload = sender;
    }
    payload += ` ${topic}`;
  }
  return [...payloads, payload];
}

const announcerOf = (
  connections: Queryable,
  sender: string,
  onFailure: (error: unknown) => void,
): Announcer =>
  createAnnouncer({
    send: (topics) => connections.query(notify(payloadsOf(sender, topics))),
    pauseMs: SIGNAL_PAUSE_MS,
    waitingMax: SIGNALS_WAITING_MAX,
    onFailure,
  });

/** Announces the changes of a command to all nodes. A failure is ignored: the nodes notice the changes later. */
export const createCommandAnnouncer = (pool: Queryable): Announcer =>
  announcerOf(pool, randomUUID(), () => undefined);

/** The notifications of a node. */
export interface Notifications extends Announcer {
  readonly close: () => Promise<void>;
}

export interface NotificationOptions {
  readonly databaseUrl: string;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn'>;
  /** Called with the topics that other nodes announce. */
  readonly onTopics: (topics: readonly string[]) => void;
  /** How often the node notifies itself, to see whether notifications arrive. Default: 30 s. */
  readonly probePauseMs?: number;
  /** How long it waits for such a notification. Default: 5 s. */
  readonly probeTimeoutMs?: number;
}

/** No notification has arrived on a connection since it listens. */
class Unheard extends Error {}

/**
 * Announces topics to the other nodes, and listens for theirs until `close`. If the connection breaks, it listens again
 * after a pause. It notifies itself regularly: so it finds a connection that is dead, and a pooler that delivers no
 * notifications, which the log says once.
 */
export function openNotifications(options: NotificationOptions): Notifications {
  const { databaseUrl, log, onTopics } = options;
  const { probePauseMs = PROBE_PAUSE_MS, probeTimeoutMs = PROBE_TIMEOUT_MS } = options;
  const sender = randomUUID();
  const pool = createPool({
    url: databaseUrl,
    max: SIGNAL_CONNECTIONS,
    name: 'svcd signals',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onError: (error) => log.debug({ err: error }, 'a database connection of the signals broke'),
  });
  const ending = new AbortController();
  let heard = Promise.withResolvers<void>();
  const receive = ({ payload = '' }: pg.Notification): void => {
    const [from, ...topics] = payload.split(' ');
    if (from === sender) heard.resolve();
    else if (topics.length > 0) onTopics(topics);
  };
  const probe = async (signal: AbortSignal): Promise<boolean> => {
    heard = Promise.withResolvers();
    await pool.query(notify(payloadsOf(sender, [])));
    const late = delay(probeTimeoutMs, false, { signal, ref: false });
    return Promise.race([heard.promise.then(() => true), late]);
  };
  /** Listens until the connection breaks or is found dead, and throws the reason. */
  const listenOnce = async (onListening: () => void): Promise<never> => {
    const client = await pool.connect();
    const broken = new Promise<never>((_, reject) => {
      client.once('error', reject);
      client.once('end', () => reject(new Error('the connection that listens has ended')));
    });
    client.on('notification', receive);
    const over = new AbortController();
    const signal = AbortSignal.any([ending.signal, over.signal]);
    try {
      const probing = async (): Promise<never> => {
        await client.query(listen());
        if (!(await probe(signal))) throw new Unheard();
        do {
          signal.throwIfAborted();
          onListening();
          await delay(probePauseMs, undefined, { signal, ref: false });
        } while (await probe(signal));
        throw new Error('the connection that listens delivers no more notifications');
      };
      return await Promise.race([broken, probing()]);
    } finally {
      // Otherwise the probes of this connection would go on beside those of the next one.
      over.abort();
      client.removeListener('notification', receive);
      client.release(true);
    }
  };
  const pause = (ms: number): Promise<unknown> =>
    delay(ms, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
  const keepListening = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    let failing = false;
    let unheard = false;
    while (!ending.signal.aborted) {
      try {
        await listenOnce(() => {
          if (failing || unheard) log.info('the database delivers notifications again');
          failing = unheard = false;
          pauseMs = FIRST_PAUSE_MS;
        });
      } catch (error) {
        if (ending.signal.aborted) break;
        if (error instanceof Unheard) {
          if (!unheard) log.warn(UNHEARD_TEXT);
          unheard = true;
          await pause(UNHEARD_PAUSE_MS);
          continue;
        }
        if (!failing) log.warn({ err: error }, 'notifications of changes cannot be received now');
        failing = true;
      }
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  };
  const done = keepListening();
  const announcer = announcerOf(pool, sender, (error) =>
    log.warn({ err: error }, 'changes cannot be announced to other nodes; they notice them later'),
  );
  return {
    ...announcer,
    async close() {
      await announcer.drain();
      ending.abort();
      await done;
      await pool.end();
    },
  };
}

const UNHEARD_TEXT =
  'the database does not deliver notifications, probably because of a connection pooler in transaction mode: waiting ' +
  'requests notice changes of other nodes a few seconds later';
