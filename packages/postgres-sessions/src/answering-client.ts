import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * A client whose connection is closed (ETIMEDOUT) if the server sends nothing for `timeoutMs` while a statement runs. All
 * its statements then fail at once, and the pool removes it. With pg's own `query_timeout`, only the statement would fail:
 * the connection would stay in the pool, and the next statement would wait for the unanswered one. 0: no limit.
 */
export function answeringClient(timeoutMs: number): typeof pg.Client {
  if (timeoutMs === 0) return pg.Client;
  return class AnsweringClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const { connection } = this;
      const socket = (): Socket => connection.stream as Socket;
      /** The bytes sent when all statements had their responses. If more are sent, a statement waits. */
      let answered = 0;
      // Emitted each time when all statements have their responses.
      this.on('drain', () => {
        answered = socket().bytesWritten;
      });
      // TLS replaces the stream before this event.
      this.once('connect', () => {
        const connected = socket();
        answered = connected.bytesWritten;
        connected.setTimeout(timeoutMs);
        // Emitted repeatedly, also for an idle connection.
        connected.on('timeout', () => {
          if (connected.bytesWritten > answered) connected.destroy(noAnswer(timeoutMs));
        });
      });
    }
  };
}

const noAnswer = (timeoutMs: number): Error =>
  Object.assign(new Error(`the database has not answered for ${timeoutMs / 1000} s`), { code: 'ETIMEDOUT' });
