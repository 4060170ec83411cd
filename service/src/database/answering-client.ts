import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * A connection that is broken off (ETIMEDOUT) when the server says nothing for `timeoutMs` while a statement runs.
 * Everything that waits for it then fails at once, and its pool forgets it. pg's own `query_timeout` fails the
 * statement alone: the connection stays, and whoever gets it next waits behind the statement that is never answered.
 */
export function answeringClient(timeoutMs: number): typeof pg.Client {
  if (timeoutMs === 0) return pg.Client;
  return class AnsweringClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const { connection } = this;
      const socket = (): Socket => connection.stream as Socket;
      /** What had been sent when the last statement was done; more than that waits for an answer. */
      let answered = 0;
      // Each time when nothing more waits for an answer.
      this.on('drain', () => {
        answered = socket().bytesWritten;
      });
      // TLS changes the stream on the way.
      this.once('connect', () => {
        const connected = socket();
        answered = connected.bytesWritten;
        connected.setTimeout(timeoutMs);
        // Again and again: it is also told that a connection is idle.
        connected.on('timeout', () => {
          if (connected.bytesWritten > answered) connected.destroy(noAnswer(timeoutMs));
        });
      });
    }
  };
}

const noAnswer = (timeoutMs: number): Error =>
  Object.assign(new Error(`the database has not answered for ${timeoutMs / 1000} s`), { code: 'ETIMEDOUT' });
