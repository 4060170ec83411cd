import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../../test/harness/dashboard.ts';
import { createTestService } from '../../../../test/harness/service.ts';
import type { ImportAnswer } from '../../wire.ts';

const service = await createTestService();
const owner = await createTestDashboard(service).owner();
const { workspaceId } = owner;
const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

const load = (file: string | Buffer, type: string) =>
  owner.send('POST', `/workspaces/${workspaceId}/imports/companies`, undefined, {
    payload: file,
    headers: { 'content-type': type },
  });
const report = async (file: string | Buffer, type: string): Promise<ImportAnswer> => {
  const answer = await load(file, type);
  expect(answer.status).toBe(201);
  return answer.json<ImportAnswer>();
};
const nameOf = async (id: string): Promise<string | undefined> => {
  const { rows } = await service.pool.query<{ name: string }>(
    'select name from companies where workspace_id = $1 and id = $2',
    [workspaceId, id],
  );
  return rows[0]?.name;
};

describe('a file from another program', () => {
  test.each([
    [
      'UTF-16 with tabs, as Excel writes it',
      CSV,
      Buffer.from('\uFEFFid\tname\ncom_u1\tÜ 🚀\n', 'utf16le'),
      'com_u1',
      'Ü 🚀',
    ],
    [
      'UTF-16 in the other byte order',
      CSV,
      Buffer.from('\uFEFFid,name\ncom_u2,Ü\n', 'utf16le').swap16(),
      'com_u2',
      'Ü',
    ],
    [
      'semicolons and a mark of UTF-8',
      CSV,
      Buffer.from('\uFEFFid;name\r\ncom_u3;"A;B, C"\r\n'),
      'com_u3',
      'A;B, C',
    ],
    [
      'a JSON array',
      NDJSON,
      Buffer.from('[\n  {"id": "com_u4",\n   "name": "Array"}\n]\n'),
      'com_u4',
      'Array',
    ],
  ] as const)('is imported: %s', async (_, type, file, id, name) => {
    expect(await report(file, type)).toMatchObject({ inserted: 1, refused: 0 });
    expect(await nameOf(id)).toBe(name);
  });

  test('with half a character or U+0000 is refused in these lines only', async () => {
    const file = Buffer.from('\uFEFFid,name\ncom_v1,\uD83D\ncom_v2,Good\ncom_v3,a\0b\n', 'utf16le');
    const { inserted, refusedLines } = await report(file, CSV);
    expect(inserted).toBe(1);
    expect(refusedLines.map(({ line }) => line)).toEqual([2, 4]);
  });

  test('with a million columns, or a quote that is never closed, is refused with a reason', async () => {
    expectFailure(await load('a;'.repeat(1_000_000), CSV), 'invalid_body', 'is longer than 1 MiB');
    expectFailure(await load('a;'.repeat(1_000), CSV), 'invalid_body', 'more than 100 cells');
    const { inserted, refused } = await report('name\n"open\nGood\n', CSV);
    expect([inserted, refused]).toEqual([1, 1]);
  });
});
