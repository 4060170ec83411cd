import { setTimeout as delay } from 'node:timers/promises';
import type { Shares } from '@svc/turns/lane';
import type { FastifyBaseLogger } from 'fastify';
import { appendEvent } from '../../audit-log/append-event.ts';
import { STREAM_ENDS_WAITING_MAX } from '../../config/limits.ts';
import { isUnavailable, UnknownOutcomeError } from '../../database/errors.ts';
import { lookUp } from '../../database/look-up.ts';
import { inTransaction } from '../../database/pool.ts';
import { preparedStatement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { RequestOrigin } from '../../http/request.ts';
import type { ClosedStream } from './stream.ts';
import { RETRY_SECONDS } from './waits.ts';

/** Few, because the transaction locks the log meanwhile. */
const ENTRIES_PER_TRANSACTION = 50;
/** How long entries wait after the database was busy. */
const RETRY_MS = 1_000;

/** What the entry of a closed stream needs. The request itself would need much more memory. */
interface StreamEnd extends ClosedStream {
  readonly keyId: string;
  readonly origin: RequestOrigin;
}

/**
 * Writes the audit entries of closed streams. Thousands of streams can end at once, and their entries must not fill the
 * queue of the lane. So each workspace has one writer, which writes several entries at a time, in their order. It keeps
 * them while the database is busy. After another failure it drops them with a warning.
 */
export function createClosedStreams(writes: Shares, log: Pick<FastifyBaseLogger, 'warn'>) {
  const writers = new Map<string, { readonly ends: StreamEnd[]; readonly done: Promise<void> }>();
  const closing = new AbortController();

  const write = async (workspaceId: string, ends: StreamEnd[]): Promise<void> => {
    while (ends.length > 0) {
      const { aborted: last } = closing.signal;
      const some = ends.slice(0, ENTRIES_PER_TRANSACTION);
      try {
        await appendEnds(writes, workspaceId, some);
        ends.splice(0, some.length);
      } catch (error) {
        const busy = isUnavailable(error) && !(error instanceof UnknownOutcomeError);
        if (busy && !last) {
          await delay(RETRY_MS, undefined, closing).catch(() => undefined);
        } else {
          const lost = ends.splice(0, busy ? ends.length : some.length).length;
          log.warn({ err: error, lost }, 'the ends of streams could not be logged');
        }
      }
    }
    writers.delete(workspaceId);
  };

  return {
    /** Throws `rate_limited` if too many entries of the workspace are not written yet. */
    requireRoom(workspaceId: string): void {
      if ((writers.get(workspaceId)?.ends.length ?? 0) < STREAM_ENDS_WAITING_MAX) return;
      const message = `At most ${STREAM_ENDS_WAITING_MAX} closed streams of this workspace may wait for their entries here.`;
      throw new ApiError('rate_limited', message, { 'retry-after': RETRY_SECONDS });
    },
    add(workspaceId: string, end: StreamEnd): void {
      const writer = writers.get(workspaceId);
      if (writer !== undefined) return void writer.ends.push(end);
      const ends = [end];
      writers.set(workspaceId, { ends, done: write(workspaceId, ends) });
    },
    /** Writes the entries that wait. Tries it once more if the database is busy. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all([...writers.values()].map(({ done }) => done));
    },
  };
}

const selectName = preparedStatement('key_name', 'request')`${lookUp({ select: 'name', from: 'api_keys' })}`;

const appendEnds = (writes: Shares, workspaceId: string, ends: readonly StreamEnd[]): Promise<void> =>
  inTransaction(writes.of(workspaceId), async (client) => {
    const names = new Map<string, string | undefined>();
    for (const keyId of new Set(ends.map((end) => end.keyId))) {
      const { rows } = await client.query<{ name: string }>(selectName(workspaceId, keyId));
      names.set(keyId, rows[0]?.name);
    }
    for (const { keyId, origin, ...details } of ends) {
      const target = { id: keyId, label: names.get(keyId) ?? keyId };
      await appendEvent(
        client,
        workspaceId,
        { actor: null, ...origin },
        { kind: 'stream.closed', target, details },
      );
    }
  });
