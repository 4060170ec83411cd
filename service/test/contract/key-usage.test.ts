import { beforeAll, describe, expect, test } from 'vitest';
import { createTestService, type TestService } from '../harness/service.ts';

let service: TestService;
let workspaceId: string;
let live: { readonly keyId: string; readonly token: string };
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  live = await service.issue(workspaceId);
});

describe('the usage of a key', () => {
  const usageOf = async (keyId: string) => {
    const { rows } = await service.pool.query<{ requests: number; errors: number }>(
      'select requests, errors from key_usage where workspace_id = $1 and key_id = $2 and day = now()::date',
      [workspaceId, keyId],
    );
    return rows;
  };

  test.each(['live', 'test'] as const)(
    'is counted per day, with its errors, and sets the last use to the minute: %s',
    async (mode) => {
      const { keyId, token } = await service.issue(workspaceId, { mode });
      expect(await usageOf(keyId)).toEqual([]);
      const shown = async () =>
        (await service.request(live.token, `/v1/api-keys/${keyId}`)).json<{ lastUsedAt: string | null }>()
          .lastUsedAt;
      expect(await shown()).toBeNull();
      const urls = ['/v1/audits', '/v1/audits?limit=0', '/v1/companies', '/v1/nothing'];
      await Promise.all(urls.map((url) => service.request(token, url)));
      await service.request(token, '/v1/audits', { headers: { 'if-none-match': '*' } });
      expect(await usageOf(keyId)).toEqual([{ requests: 5, errors: 2 }]);
      const lastUsedAt = await shown();
      expect(lastUsedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
      expect(Math.abs(Date.now() - Date.parse(lastUsedAt ?? ''))).toBeLessThan(2 * 60_000);
    },
  );
});
