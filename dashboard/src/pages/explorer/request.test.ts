import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Operation } from './openapi.ts';

const path = { name: 'id', in: 'path', required: true, schema: {} } as const;
const query = { name: 'limit', in: 'query', schema: {} } as const;
const READ: Operation = {
  id: 'GET /v1/audits/{id}',
  method: 'GET',
  path: '/v1/audits/{id}',
  group: 'Audits',
  summary: '',
  parameters: [path, query],
  body: undefined,
};

let request: typeof import('./request.ts');
beforeAll(async () => {
  // The module reads the address of the page.
  vi.stubGlobal('location', { origin: 'https://svc.test' });
  request = await import('./request.ts');
});

describe('a request of the explorer', () => {
  test.each([
    [{ id: 'a/b', limit: ' 5 ' }, '/v1/audits/a%2Fb?limit=5'],
    [{ id: 'a', limit: '' }, '/v1/audits/a'],
  ])('has the values %j in path and query, and leaves out empty ones', (values, path) => {
    const [line] = request.curlOf({ operation: READ, values, body: undefined }).split(' \\\n');
    expect(line?.endsWith(`${path}'`)).toBe(true);
  });

  test.each([
    ['member', '30', 'A request that waits needs an API key. Send it as a test key.'],
    ['member', ' 0 ', undefined],
    ['member', '', undefined],
    ['key', '30', undefined],
  ] as const)('sent as %s with the wait %j is blocked by: %s', (sender, wait, reason) => {
    const draft = { operation: { ...READ, path: '/v1/changes' }, values: { wait }, body: undefined };
    expect(request.blockedBy(draft, sender, undefined)).toBe(reason);
  });

  test('is a curl command that reads the key from the environment and quotes its body', () => {
    const create = { ...READ, method: 'POST', path: '/v1/audits', parameters: [] };
    const lines = request.curlOf({ operation: create, values: {}, body: `{"a":"it's"}` }).split(' \\\n');
    expect(lines[0]).toMatch(/^curl -X POST 'https:\/\/svc\.test\/.*v1\/audits'$/);
    expect(lines.slice(1)).toEqual([
      '  -H "Authorization: Bearer $SVC_API_KEY"',
      "  -H 'Content-Type: application/json'",
      `  --data '{"a":"it'\\''s"}'`,
    ]);
  });
});
