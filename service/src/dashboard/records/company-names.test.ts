import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, type TestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { resourceNamed, seedRecords } from '../../../test/harness/records.ts';
import { createTestService, type TestService } from '../../../test/harness/service.ts';
import { SEARCHED_ROWS_MAX } from '../../config/limits.ts';
import { COMPANY_NAMES_MAX } from '../limits.ts';
import type { CompanyNames } from '../wire.ts';

let service: TestService;
let dashboard: TestDashboard;
let owner: Visitor & { readonly workspaceId: string };
beforeAll(async () => {
  service = await createTestService();
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

  test('are found in a large workspace by id and by the start of the name; parts only among the newest', async () => {
    const large = await dashboard.owner();
    const newer = Array.from({ length: SEARCHED_ROWS_MAX + 50 }, (_, i) => ({
      id: `com_${String(i).padStart(5, '0')}`,
      name: `Nº ${i} Äther`,
      createdAt: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    }));
    const old = { id: 'com_old', name: 'Ökobank 1%_x', createdAt: '2025-01-01T00:00:00Z' };
    const companies = [...newer, old].map((company) => ({ ...company, domain: null }));
    await seedRecords(service.pool, large.workspaceId, resourceNamed('companies'), companies);
    await service.pool.query(
      `insert into record_counts (workspace_id, resource, company_id, records) values ($1, 'companies', '', $2)`,
      [large.workspaceId, companies.length],
    );
    const search = async (text: string): Promise<readonly [readonly string[], boolean]> => {
      const query = new URLSearchParams({ search: text });
      const answer = await large.send('GET', `/workspaces/${large.workspaceId}/company-names?${query}`);
      const { data, partial } = answer.json<CompanyNames>();
      return [data.map(({ id }) => id), partial];
    };
    const newest = newer.at(-1)?.id;
    expect(await search('com_old')).toEqual([['com_old'], true]);
    expect(await search('ökob')).toEqual([['com_old'], true]);
    expect(await search('ÖKOBANK 1%_X')).toEqual([['com_old'], true]);
    expect(await search('bank')).toEqual([[], true]);
    expect(await search(` ${SEARCHED_ROWS_MAX + 49} ät`)).toEqual([[newest], true]);
    const [all, partial] = await search('nº');
    expect([new Set(all).size, partial]).toEqual([COMPANY_NAMES_MAX, false]);
    const [first] = await search('');
    expect(first).toHaveLength(COMPANY_NAMES_MAX);
  });
});
