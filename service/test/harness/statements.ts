import pg from 'pg';
import { vi } from 'vitest';

/** What this process sends to a database while the work runs, over whatever connection, as JSON. */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.map(([statement]) => JSON.stringify(statement) ?? '');
  } finally {
    query.mockRestore();
  }
}
