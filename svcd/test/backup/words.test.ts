import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { indexWords, resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createWorld } from '@svc/service/harness/world.ts';
import { expect, test } from 'vitest';
import { backupDatabase, restoreDatabase } from '../../src/backup/database.ts';

test('the index of the search is no part of a backup, and is written again after a restore', async () => {
  const { service, workspaceId } = await createWorld();
  const companies = Array.from({ length: 64 }, (_, i) => ({
    id: `com_${i}`,
    name: `École ${i}`,
    domain: null,
    createdAt: new Date(Date.UTC(2026, 2, 1) + i).toISOString(),
  }));
  await seedRecords(service.pool, workspaceId, resourceNamed('companies'), companies);
  await indexWords(service.pool);
  const output = new PassThrough();
  const [bytes] = await Promise.all([
    buffer(output),
    backupDatabase(service.database.url, output).then(() => output.end()),
  ]);
  const { pool, url } = await createTestDatabase({ template: false });
  await restoreDatabase(Readable.from([bytes]), url, { expirePositions: false });

  const blocks = async () => (await pool.query('select from word_blocks')).rowCount;
  const found = async () =>
    (await pool.query(`select from search_records(null::companies, $1, 'ÉCOLE', 100)`, [workspaceId]))
      .rowCount;
  expect([await blocks(), await found()]).toEqual([0, 64]);
  await indexWords(pool);
  expect([await blocks(), await found()]).toEqual([2, 64]);
});
