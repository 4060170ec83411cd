import { openApiDocument } from '@svc/openapi';
import type { Response } from '@svc/openapi/types';
import type { ApiKey, AuditLogEntry } from '@svc/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { newRequestEntries } from '../harness/entries.ts';
import { createTestService, type TestService } from '../harness/service.ts';

// Examples of records that the examples of their fields would get wrong, compared with what the service returns.

const { paths, webhooks } = openApiDocument({ publicUrl: 'http://svc.test', version: '0' });

/** The example of a single record. */
function exampleOf<Item>(path: string): Item {
  const response = paths[path]?.get?.responses[200] as Response | undefined;
  return Object(response?.content)['application/json'].example;
}

/** The key in the example of a webhook. */
const keyOf = (type: string): ApiKey =>
  Object(webhooks[type]?.post.requestBody?.content['application/json']?.example).data.record;

/** The names of the fields, each with whether it is null. */
const shapeOf = (item: object): readonly string[] =>
  Object.entries(item).map(([name, value]) => (value === null ? `${name}: null` : name));

let service: TestService;
let workspaceId: string;
let key: { readonly keyId: string; readonly token: string };
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  key = await service.issue(workspaceId, { name: 'crawler' });
});

describe('the example', () => {
  test('of the audit log has exactly the fields and nulls of the entry of a request that reads', async () => {
    const [entry] = await newRequestEntries(service.pool, workspaceId, () =>
      service.request(key.token, '/v1/audits', { headers: { 'user-agent': 'curl/8.5.0' } }),
    );
    const example = exampleOf<AuditLogEntry>('/v1/audit-log/{id}');
    expect(shapeOf(example)).toEqual(shapeOf(entry ?? {}));
    expect(example).toMatchObject({ kind: 'api.request', method: 'GET', path: '/v1/audits', status: 200 });
  });

  test('of the API keys has the fields and nulls of a key that is used', async () => {
    const used = async (): Promise<ApiKey> =>
      (await service.request(key.token, `/v1/api-keys/${key.keyId}`)).json();
    await expect.poll(async () => (await used()).lastUsedAt).not.toBeNull();
    expect(shapeOf(exampleOf('/v1/api-keys/{id}'))).toEqual(shapeOf(await used()));
  });

  test.each([
    ['key.changed', []],
    ['key.created', []],
    ['key.expiring', ['expiresAt']],
    ['key.paused', ['pausedAt']],
    ['key.resumed', []],
    ['key.revoked', ['revokedAt']],
    ['key.rotated', []],
  ])('of the event %s has a key in the state that the event leads to: %j', (type, times) => {
    const shown = keyOf(type);
    const set = (['revokedAt', 'expiresAt', 'pausedAt'] as const).filter((name) => shown[name] !== null);
    expect(set).toEqual(times);
    expect(shown.lastUsedAt === null).toBe(type === 'key.created');
  });
});
