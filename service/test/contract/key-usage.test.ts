import { beforeAll, describe, expect, test } from 'vitest';
import type { KeyUsage } from '../../src/dashboard/wire.ts';
import { createTestDashboard } from '../harness/dashboard.ts';
import { createTestService, type TestService } from '../harness/service.ts';

let service: TestService;
let owner: Awaited<ReturnType<ReturnType<typeof createTestDashboard>['owner']>>;
let live: { readonly keyId: string; readonly token: string };
beforeAll(async () => {
  service = await createTestService();
  owner = await createTestDashboard(service).owner();
  live = await service.issue(owner.workspaceId);
});

describe('the usage of a key', () => {
  const usageOf = async (keyId: string) => {
    const path = `/workspaces/${owner.workspaceId}/keys/${keyId}/usage?days=1`;
    const { data } = (await owner.send('GET', path)).json<KeyUsage>();
    return data.map(({ requests, errors }) => ({ requests, errors }));
  };

  test.each(['live', 'test'] as const)(
    'is counted per day, with its errors, and sets the last use to the minute: %s',
    async (mode) => {
      const { keyId, token } = await service.issue(owner.workspaceId, { mode });
      expect(await usageOf(keyId)).toEqual([]);
      const shown = async () =>
        (await service.request(live.token, `/v1/api-keys/${keyId}`)).json<{ lastUsedAt: string | null }>()
          .lastUsedAt;
      expect(await shown()).toBeNull();
      const urls = ['/v1/audits', '/v1/audits?limit=0', '/v1/companies', '/v1/nothing'];
      await Promise.all(urls.map((url) => service.request(token, url)));
      await service.request(token, '/v1/audits', { headers: { 'if-none-match': '*' } });
      // Both are seen at once: each reader counts first.
      const lastUsedAt = await shown();
      expect(lastUsedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
      expect(Math.abs(Date.now() - Date.parse(lastUsedAt ?? ''))).toBeLessThan(2 * 60_000);
      expect(await usageOf(keyId)).toEqual([{ requests: 5, errors: 2 }]);
    },
  );
});
