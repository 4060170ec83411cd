import type pg from 'pg';

/** Starts statements of a connection. Returns their results, in order. For {@link atOnce}. */
export type Start = () => readonly Promise<unknown>[];

const failed = new WeakSet<pg.ClientBase>();

/**
 * Whether statements of {@link atOnce} have failed on the connection. Then it must be closed: PgBouncer keeps the name of a
 * statement that PostgreSQL refused because one before it had failed, and disconnects a client that prepares it again.
 */
export const failedAtOnce = (client: pg.ClientBase): boolean => failed.has(client);

/**
 * Starts several statements of a connection at once, so that they take one round trip. PostgreSQL still runs them one after
 * another. Throws the error of the first that fails, after all have ended: in a transaction, those after it fail too.
 * `start` must not throw. The statements must not be COPY, which pg refuses in its pipeline mode.
 */
export async function atOnce<Started extends readonly unknown[] | []>(
  client: pg.ClientBase,
  start: () => Started,
): Promise<{ -readonly [Index in keyof Started]: Awaited<Started[Index]> }> {
  const connection: pg.ClientBase & { pipeline?: boolean } = client;
  const { pipeline } = connection;
  connection.pipeline = true;
  try {
    const started = start();
    // Without pipeline mode, the connection would lose track of statements that have not ended.
    await Promise.allSettled(started);
    return await Promise.all(started);
  } catch (error) {
    failed.add(client);
    throw error;
  } finally {
    connection.pipeline = pipeline ?? false;
  }
}
