import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/database/pool.ts';
import { complete } from '../../src/records/create.ts';
import { insertRecords } from '../../src/records/insert.ts';
import { patchRecord, removeRecord } from '../../src/records/mutations.ts';
import { readCount } from '../../src/records/read.ts';
import { expectFailure } from '../harness/answers.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { resourceNamed } from '../harness/records.ts';
import { createTestService, type TestService } from '../harness/service.ts';

const audits = resourceNamed('audits');
const BATCHES = 8;
const BATCH = 50;
const CHANGES = 10;

let service: TestService;
let workspaceId: string;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await workspaceOfTwo();
  token = await service.token(workspaceId, { mode: 'test' });
});

/** A workspace with two companies. */
async function workspaceOfTwo(): Promise<string> {
  const id = await service.workspace();
  const companies = [COMPANY, OTHER_COMPANY].map((company) => ({ id: company, name: company, domain: null }));
  await inTransaction(service.pool, (client) =>
    insertRecords(client, id, resourceNamed('companies'), companies),
  );
  return id;
}

const importAudits = (companyId: string, count: number, into = workspaceId) =>
  inTransaction(service.pool, (client) =>
    insertRecords(
      client,
      into,
      audits,
      Array.from({ length: count }, () => ({
        companyId,
        headlineScore: 50,
        completedAt: '2026-03-01T09:30:00.000000Z',
      })),
    ),
  );

const count = async (query: string, key = token) =>
  (await service.request(key, `/v1/audits/count${query}`)).json();

describe('the count of audits', () => {
  test('is 0 in an empty workspace, exact and approximate', async () => {
    expect(await count('')).toEqual({ count: 0, approximate: false });
    expect(await count('?approximate=true')).toEqual({ count: 0, approximate: true });
  });

  test('is exact, also the approximate one, after and during concurrent imports', async () => {
    const imports = Promise.all(
      Array.from({ length: BATCHES }, (_, i) => importAudits(i % 4 === 0 ? OTHER_COMPANY : COMPANY, BATCH)),
    );
    const during = await service.pool.connect();
    try {
      await during.query('begin isolation level repeatable read');
      const { rows } = await during.query(
        `select (select count(*) from audits where workspace_id = $1)
          = coalesce((select records from record_counts where workspace_id = $1 and resource = 'audits' and company_id = ''), 0) as equal`,
        [workspaceId],
      );
      expect(rows).toEqual([{ equal: true }]);
      await during.query('commit');
    } finally {
      during.release();
    }
    await imports;
    for (const query of ['', '?approximate=false']) {
      expect(await count(query)).toEqual({ count: BATCHES * BATCH, approximate: false });
    }
    expect(await count('?approximate=true')).toEqual({ count: BATCHES * BATCH, approximate: true });
  });

  test('equals the rows of a snapshot at any moment of concurrent writes and deletes', async () => {
    const busy = await workspaceOfTwo();
    const everywhere = { workspaceId: busy, companyId: null };
    let writing = true;
    /** Imports audits, moves one of them to another company and deletes it, again and again. */
    const write = async (from: string, to: string): Promise<void> => {
      for (let i = 0; i < CHANGES; i++) {
        const [moved] = (await importAudits(from, BATCH, busy)).inserted;
        const id = moved?.id ?? '';
        const move = patchRecord(audits, everywhere, id, { companyId: to }, {});
        await inTransaction(service.pool, (client) => complete(move, client));
        const removal = removeRecord(audits, everywhere, id, {});
        await inTransaction(service.pool, (client) => complete(removal, client));
      }
    };
    const counts = new Set<number>();
    /** Compares the count with the rows of the same snapshot, while others write. */
    const compare = async (): Promise<void> => {
      for (let last = false; !last; ) {
        last = !writing;
        await inTransaction(service.pool, async (client) => {
          await client.query('set transaction isolation level repeatable read');
          for (const companyId of [null, COMPANY, OTHER_COMPANY]) {
            const { rows } = await client.query<{ rows: number }>(
              'select count(*) as rows from audits where workspace_id = $1 and ($2::text is null or company_id = $2)',
              [busy, companyId],
            );
            const answer = await readCount(client, audits, { workspaceId: busy, companyId }, false);
            expect(answer).toEqual({ count: rows[0]?.rows, approximate: false });
            counts.add(answer.count);
          }
        });
      }
    };
    const writers = Promise.all([write(COMPANY, OTHER_COMPANY), write(OTHER_COMPANY, COMPANY)]);
    await Promise.all([compare(), writers.finally(() => (writing = false))]);
    // The snapshots are of different moments.
    expect(counts.size).toBeGreaterThan(CHANGES);
  });

  test('counts only the company that a key is limited to', async () => {
    const other = await service.token(workspaceId, { mode: 'test', companyId: OTHER_COMPANY });
    expect(await count('', other)).toEqual({ count: (BATCHES / 4) * BATCH, approximate: false });
    expect(await count('?approximate=true', other)).toEqual({
      count: (BATCHES / 4) * BATCH,
      approximate: true,
    });
  });

  test('counts only the workspace of the key', async () => {
    const neighbour = await service.token(await service.workspace(), { mode: 'test' });
    for (const query of ['', '?approximate=true'])
      expect(await count(query, neighbour)).toMatchObject({ count: 0 });
  });

  test('does not include a transaction that was rolled back', async () => {
    await expect(
      inTransaction(service.pool, async (client) => {
        await insertRecords(client, workspaceId, audits, [
          { companyId: COMPANY, headlineScore: 1, completedAt: '2026-03-01T09:30:00.000000Z' },
        ]);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    for (const query of ['', '?approximate=true']) {
      expect(await count(query)).toMatchObject({ count: BATCHES * BATCH });
    }
  });
});

describe('the parameters of the count', () => {
  test.each(['1', '', 'TRUE', 'yes', 'true ', '0'])('approximate=%j is refused', async (value) => {
    const answer = await service.request(token, `/v1/audits/count?approximate=${encodeURIComponent(value)}`);
    expectFailure(answer, 'invalid_parameter', '"approximate"', 'true or false');
  });

  test.each(['limit=1', 'cursor=x', 'companyId=com_one', 'approx=true', 'approximate[]=true'])(
    '%s is unknown',
    async (query) => {
      const answer = await service.request(token, `/v1/audits/count?${query}`);
      expectFailure(answer, 'invalid_parameter', 'Allowed: approximate.');
    },
  );

  test('approximate must not be repeated', async () => {
    const answer = await service.request(token, '/v1/audits/count?approximate=true&approximate=true');
    expectFailure(answer, 'invalid_parameter', 'once');
  });
});

test('no other list has a count', async () => {
  for (const path of ['mentions', 'content', 'companies', 'api-keys', 'audit-log']) {
    expectFailure(await service.request(token, `/v1/${path}/count`), 'not_found');
  }
});
