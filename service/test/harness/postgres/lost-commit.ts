import type pg from 'pg';
import { createPool } from '../../../src/database/pool.ts';
import { onFileEnd } from '../cleanup.ts';

const CONNECTIONS = 4;

type When = 'before' | 'after';

/** A pool of which a test can lose a connection during a commit. */
export interface LosingPool {
  readonly pool: pg.Pool;
  /**
   * The next commit of a transaction with a statement that contains `text` loses its connection before the server gets it,
   * or after the server has committed.
   */
  readonly loseNext: (when: When, text: string) => void;
}

export function losingPool(url: string): LosingPool {
  let lose: { readonly when: When; readonly text: string } | undefined;
  const pool = createPool({ url, max: CONNECTIONS, name: 'lost', onError: () => undefined });
  onFileEnd(() => pool.end());
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    let texts = '';
    client.query = ((...args: readonly [string | { readonly text?: string }, ...unknown[]]) => {
      const [first] = args;
      const text = (typeof first === 'string' ? first : first.text) ?? '';
      texts = text === 'begin' ? '' : texts + text;
      if (lose === undefined || text !== 'commit' || !texts.includes(lose.text)) return query(...args);
      const committed = lose.when === 'after' ? query(...args) : undefined;
      lose = undefined;
      return Promise.resolve(committed).then(() => {
        connection.stream.destroy();
        return query('select');
      });
    }) as typeof client.query;
  });
  return {
    pool,
    loseNext: (when, text) => {
      lose = { when, text };
    },
  };
}
