import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { TABLE_PLACEMENTS } from '../database/citus/placements.ts';
import { KEY_IS_VALID, workspaceIsOpen } from './valid-key.ts';

/** The functions of the database that write requests and count them. */

const { pool } = await createTestDatabase();
let source: string;
beforeAll(async () => {
  const { rows } = await pool.query<{ source: string }>(
    `select prosrc as source from pg_proc where proname = 'write_requests'`,
  );
  source = rows[0]?.source ?? '';
});

test('the function of the database accepts the same keys as all other statements', () => {
  expect(source).toContain(KEY_IS_VALID);
  // Without the parentheses of a subquery, and with a variable for the result.
  const select = workspaceIsOpen('current_id').slice(1, -1).replace(' from ', ' into is_open from ');
  expect(source).toContain(select);
});

test('each statement of the function has one table and no subquery, so that Citus plans it fast', () => {
  const tables = new RegExp(
    `\\b(?:from|into|update|join) (?:${Object.keys(TABLE_PLACEMENTS).join('|')})\\b`,
    'g',
  );
  const statements = source.split(';').filter((text) => text.search(tables) >= 0);
  expect(statements.length).toBeGreaterThan(5);
  const slow = statements.filter(
    (text) => (text.match(tables)?.length ?? 0) > 1 || /\(\s*select\b|\bjoin\b/.test(text),
  );
  // Runs only if an entry has waited for long.
  expect(slow.map((text) => text.includes('where workspace_id = waited'))).toEqual([true]);
});

test('the commit of a count does not wait for the disk', async () => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select count_entries($1, $2, 1)', ['', []]);
    const { rows } = await client.query('show synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'off' }]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});
