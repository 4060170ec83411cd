import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { workspaceWith } from '../../test/harness/import.ts';
import { OPERATOR } from '../audit-log/actor.ts';
import type { RecordInput } from '../records/row.ts';
import { RESOURCES } from '../resources/index.ts';
import { dryRunWriter } from './dry-run-writer.ts';

const { pool } = await createTestDatabase();

test('a dry run recognizes repeated ids only among the newest records, so its memory is bounded', async () => {
  const workspaceId = await workspaceWith(pool);
  const resource = RESOURCES.find(({ name }) => name === 'companies');
  if (resource === undefined) throw new Error('There are no companies.');
  const writer = dryRunWriter({ pool, workspaceId, resource, importId: 'imp_1', by: OPERATOR }, 2);
  const existing = async (...ids: readonly string[]): Promise<readonly number[]> => {
    const inputs: readonly RecordInput[] = ids.map((id) => ({ id, name: 'Acme' }));
    const batch = { records: [], refused: [], bytes: 0, recordsRead: 0, digest: null };
    return (await writer.write(inputs, batch)).existing;
  };
  expect(await existing('a', 'b')).toEqual([]);
  expect(await existing('b', 'c', 'd')).toEqual([0]);
  expect(await existing('c', 'd')).toEqual([0, 1]);
  expect(await existing('a')).toEqual([]);
});
