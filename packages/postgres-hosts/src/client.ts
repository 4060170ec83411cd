import type pg from 'pg';
import { inTime, requirePrimary } from './ask.ts';
import { breakConnection, closeIfUnreadable } from './connection.ts';
import type { Primary } from './primary.ts';

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

export interface ClientOptions {
  /** Whether the session writes. If the server refuses that, it is a standby now, and the session is closed. */
  readonly writes: boolean;
}

/** A client whose `connect` opens a session on the primary, and on no other server. */
export function clientOfPrimary(
  Client: typeof pg.Client,
  primary: Primary,
  { writes }: ClientOptions,
): typeof pg.Client {
  return class PrimaryClient extends Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      // An error between the end of `connect` and the first listener of the caller must not end the process.
      this.on('error', () => undefined);
      closeIfUnreadable(this);
      this.once('end', () => primary.closed(this));
      if (!writes) return;
      this.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
        // After the statement has got its own error.
        if (code === READ_ONLY) setImmediate(() => breakConnection(this, demoted()));
      });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.#open();
      if (callback === undefined) return connected;
      connected.then(() => callback(null as unknown as Error), callback);
      return undefined;
    }

    async #open(): Promise<pg.Client> {
      const host = await primary.find();
      this.host = host.host;
      this.port = host.port;
      const open = async (): Promise<void> => {
        await super.connect();
        await requirePrimary(this, host);
        primary.opened(this, host);
      };
      try {
        await (primary.several ? inTime(this, host, open) : open());
      } catch (error) {
        primary.lost(host);
        this.connection.stream.destroy();
        throw error;
      }
      this.once('error', () => primary.lost(host));
      return this;
    }
  };
}

const demoted = (): Error => Object.assign(new Error('the server is a standby now'), { code: 'ECONNRESET' });
