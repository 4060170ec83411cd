import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { importText, ndjson } from '../../../test/harness/import.ts';
import { urlOf } from '../../../test/harness/lists.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { COUNTED_ROWS_MAX } from '../../config/limits.ts';
import type { ListCount } from '../wire.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const COMPANIES = ['com_a', 'com_b'] as const;
/** More than a count reads. */
const AUDITS = COUNTED_ROWS_MAX + 500;
const MENTIONS = 40;

await importText(service.pool, workspaceId, 'companies', ndjson(COMPANIES.map((id) => ({ id, name: id }))));
await importText(
  service.pool,
  workspaceId,
  'audits',
  ndjson(
    Array.from({ length: AUDITS }, (_, i) => ({
      id: `aud_${i}`,
      companyId: COMPANIES[i % 100 === 0 ? 1 : 0],
      headlineScore: i % 100 === 0 ? 90 : 10,
      completedAt: '2026-03-01T09:30:00Z',
    })),
  ),
);
await importText(
  service.pool,
  workspaceId,
  'mentions',
  ndjson(
    Array.from({ length: MENTIONS }, (_, i) => ({
      id: `men_${i}`,
      companyId: COMPANIES[i % 2],
      source: i % 4 === 0 ? 'a.example' : 'b.example',
      url: `https://a.example/${i}`,
      title: `Title ${i}`,
      excerpt: '',
      sentiment: i % 5 === 0 ? 'negative' : 'neutral',
      publishedAt: `2026-03-01T09:${String(i).padStart(2, '0')}:00Z`,
    })),
  ),
);

const count = async (resource: string, params: Readonly<Record<string, string>> = {}): Promise<ListCount> => {
  const answer = await owner.send('GET', urlOf(`/workspaces/${workspaceId}/data/${resource}/count`, params));
  expect(answer.status, answer.text).toBe(200);
  return answer.json<ListCount>();
};

describe('the count of a list in the dashboard', () => {
  test('is exact for the whole list and for a company, at any size', async () => {
    expect(await count('audits')).toEqual({ count: AUDITS, more: false });
    expect(await count('audits', { companyId: 'com_b' })).toEqual({ count: AUDITS / 100, more: false });
    expect(await count('mentions')).toEqual({ count: MENTIONS, more: false });
    expect(await count('content', { companyId: 'com_b' })).toEqual({ count: 0, more: false });
  });

  test.each([
    [{ sentiment: 'negative' }, 8],
    [{ sentiment: 'negative', companyId: 'com_b' }, 4],
    [{ source: 'a.example', sentiment: 'negative' }, 2],
    [{ q: 'TITLE 1' }, 11],
    [{ q: 'nothing' }, 0],
    [{ sort: 'published-ascending', publishedAfter: '2026-03-01T09:30:00Z' }, 10],
    [{ sort: 'published-ascending', publishedBefore: '2026-03-01T09:30:00Z', companyId: 'com_b' }, 15],
  ])('has the filters of the list: %j', async (params, expected) => {
    expect(await count('mentions', { ...params })).toEqual({ count: expected, more: false });
  });

  test('stops after 10,000 records, and says that there can be more', async () => {
    const all = { sort: 'score-descending', headlineScoreMin: '0' };
    expect(await count('audits', all)).toEqual({ count: COUNTED_ROWS_MAX, more: true });
    const rare = { sort: 'score-descending', headlineScoreMin: '90' };
    expect(await count('audits', rare)).toEqual({ count: AUDITS / 100, more: false });
    const ofCompany = { ...all, companyId: 'com_b' };
    expect(await count('audits', ofCompany)).toEqual({ count: AUDITS / 100, more: false });
  });

  test('refuses what the list refuses, and the parameters of a page', async () => {
    const url = `/workspaces/${workspaceId}/data/audits/count`;
    expectFailure(
      await owner.send('GET', `${url}?headlineScoreMin=1`),
      'invalid_parameter',
      'score-descending',
    );
    for (const name of ['limit', 'cursor', 'direction', 'q'])
      expectFailure(await owner.send('GET', `${url}?${name}=1`), 'invalid_parameter', `"${name}"`);
    const stranger = await dashboard.owner();
    expectFailure(await stranger.send('GET', url), 'not_found');
  });
});
