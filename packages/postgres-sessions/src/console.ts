import pg from 'pg';

const TIMEOUT_MS = 2_000;

/** What PgBouncer says of itself. */
export interface PgBouncer {
  /** `PgBouncer 1.24.1`. */
  readonly version: string;
  /** Its settings, by their names. */
  readonly settings: ReadonlyMap<string, string>;
}

/**
 * Asks the console of the PgBouncer at a database URL. Undefined: there is none, or the role is not one of its
 * `stats_users`.
 */
export async function askConsole(databaseUrl: string): Promise<PgBouncer | undefined> {
  const client = new pg.Client({
    connectionString: databaseUrl.replace(/^(\w+:\/\/[^/?#]*)(?:\/[^?#]*)?/, '$1/pgbouncer'),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows: versions } = await client.query<{ version: string }>('show version');
    const { rows } = await client.query<{ key: string; value: string }>('show config');
    const version = versions[0]?.version ?? '';
    if (!version.startsWith('PgBouncer')) return undefined;
    return { version, settings: new Map(rows.map(({ key, value }) => [key, value])) };
  } catch {
    return undefined;
  } finally {
    client.connection.stream.destroy();
  }
}
