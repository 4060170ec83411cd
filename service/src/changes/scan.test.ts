import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { seedChanges } from '../../test/harness/records.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../records/workspaces.ts';
import { scanChanges } from './scan.ts';

const { pool } = await createTestDatabase();
const deletion = (type: string) => ({ type, recordId: 'one', companyId: 'com_1', doc: null });

test.each([true, false])(
  'a search unpacks no row of another type between the first and the last one (ascending: %s)',
  async (ascending) => {
    const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
    const types = ['content', 'company', 'mention', 'company', 'content'].map((name) => `${name}.deleted`);
    await seedChanges(pool, workspaceId, types.map(deletion));
    const scan = { workspaceId, ascending, start: undefined, limit: 10 };
    const all = await scanChanges(pool, scan);
    await pool.query(`update changes set items = 'x' where workspace_id = $1 and type = 'mention.deleted'`, [
      workspaceId,
    ]);
    const found = await scanChanges(pool, { ...scan, types: ['company.deleted'] });
    expect(found.items).toEqual(all.items.filter(({ type }) => type === 'company.deleted'));
    expect(found).toMatchObject({ began: all.items[0]?.at, searchedTo: all.items[4]?.at });
  },
);
