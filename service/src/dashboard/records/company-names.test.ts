import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, type TestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { resourceNamed, seedRecords } from '../../../test/harness/records.ts';
import { createTestService } from '../../../test/harness/service.ts';
import type { CompanyNames } from '../wire.ts';

let dashboard: TestDashboard;
let owner: Visitor & { readonly workspaceId: string };
beforeAll(async () => {
  const service = await createTestService();
  dashboard = createTestDashboard(service);
  owner = await dashboard.owner();
  const createdAt = '2026-03-01T09:30:00Z';
  await seedRecords(service.pool, owner.workspaceId, resourceNamed('companies'), [
    { id: 'com_b', name: 'Borealis', domain: 'borealis.example', createdAt },
    { id: 'com_a', name: 'Acme 100%', domain: null, createdAt },
    { id: 'com_c', name: 'Cobalt', domain: 'acme.example', createdAt },
  ]);
});

const find = async (query: string): Promise<readonly string[]> => {
  const answer = await owner.send('GET', `/workspaces/${owner.workspaceId}/company-names${query}`);
  return answer.json<CompanyNames>().data.map(({ id }) => id);
};

describe('names of companies', () => {
  test.each([
    ['', ['com_a', 'com_b', 'com_c']],
    ['?search=ACME', ['com_a', 'com_c']],
    ['?search=com_b', ['com_b']],
    ['?search=%25', ['com_a']],
    ['?search=_', ['com_a', 'com_b', 'com_c']],
    ['?search=nobody', []],
    ['?ids=com_c,com_a,com_none', ['com_a', 'com_c']],
  ])('are found by text or ids, as they stand: %s', async (query, ids) => {
    expect(await find(query)).toEqual(ids);
  });

  test('are only visible to members of the workspace', async () => {
    const path = `/workspaces/${owner.workspaceId}/company-names`;
    expectFailure(await (await dashboard.owner()).send('GET', path), 'not_found');
    expectFailure(await owner.send('GET', `${path}?name=Acme`), 'invalid_parameter');
  });

  test.each([
    `?ids=${'a,'.repeat(101)}`,
    '?ids=%00',
    '?ids=com_a,a%20b',
    '?search=%00',
    '?search=a%00b',
    `?search=${'a'.repeat(101)}`,
    '?search=a&search=b',
  ])('are not looked for by what no name or id can be: %s', async (query) => {
    const path = `/workspaces/${owner.workspaceId}/company-names`;
    expectFailure(await owner.send('GET', `${path}${query}`), 'invalid_parameter');
  });
});
