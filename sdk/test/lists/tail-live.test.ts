import { bigQuery, LISTS } from '@svc/service/harness/lists.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { expect, test } from 'vitest';
import { clientOf } from '../client.ts';

const WRITERS = 8;
const CREATES = 12;
const BATCH = 7;

test('tails on two nodes yield every record once and in the order of creation while many clients write', async () => {
  const node = await createTestService();
  const other = await createTestService({ database: node.database, clock: node.clock });
  const workspaceId = await node.workspace();
  const token = await node.token(workspaceId, { access: 'write' });
  // A pause between two polls ends with the next write.
  const waiting: (() => void)[] = [];
  let writing = true;
  const written = (): void => {
    for (const wake of waiting.splice(0)) wake();
  };
  const timing = {
    sleep: () => (writing ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve()),
  };
  const clients = [clientOf(node.app, token, { timing }), clientOf(other.app, token, { timing })] as const;
  const { id: companyId } = await clients[0].companies.create({ name: 'Acme' });
  const audit = { companyId, headlineScore: 1, completedAt: '2026-03-01T09:30:00Z' };
  const total = WRITERS * (CREATES + CREATES * BATCH);

  const writers = Array.from({ length: WRITERS }, async (_, i) => {
    const writer = clients[i % 2 === 0 ? 0 : 1];
    for (let n = 0; n < CREATES; n++) {
      await writer.audits.create(audit);
      written();
      await writer.audits.createMany(Array(BATCH).fill(audit));
      written();
    }
  });
  const readers = clients.map(async (client) => {
    const ids: string[] = [];
    let tail = client.audits.tail();
    while (ids.length < total) {
      for await (const { id } of tail) {
        ids.push(id);
        // From time to time, another tail continues at the position.
        if (ids.length % 97 === 0 || ids.length === total) break;
      }
      tail = client.audits.tail({ after: tail.position });
    }
    return ids;
  });
  await Promise.all(writers);
  writing = false;
  written();
  const audits = LISTS.find(({ name }) => name === 'audits');
  if (audits === undefined) throw new Error('there are no audits');
  const expected = await bigQuery(node.pool, workspaceId, audits, { sort: 'created-ascending' });
  expect(expected).toHaveLength(total);
  expect(await Promise.all(readers)).toEqual([expected, expected]);
});
