import { join } from 'node:path';
import type { AuditLogEntry } from '@svc/sdk';
import { beforeAll, expect, test } from 'vitest';
import { packClient } from '../../../sdk/tools/pack.ts';
import { createTestService } from '../harness/service.ts';
import { listen } from '../harness/socket.ts';
import { REPOSITORY } from './documents.ts';
import { canRun, runExample, userProject } from './run.ts';

const service = await createTestService();
const address = await listen(service);
const PUBLIC_URL = 'http://svc.test';
const PLACEHOLDER = 'svc_test_…';

/** The text of a page as a client at the address of the service sees it. */
async function pageAt(path: string): Promise<string> {
  const response = await fetch(`${address}${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.text()).replaceAll(PUBLIC_URL, address);
}

// `npm ci` does this. A test may run without it, or after a change of the client.
beforeAll(() => {
  packClient(join(REPOSITORY, 'sdk/package'));
});

const LIVE = 'live';

// The languages that are not installed here were printed above.
test.skipIf(!canRun('sh')).each([LIVE, 'test'] as const)(
  'who follows /llms.txt with curl and a new %s key, in an empty workspace, creates a record, and no request fails',
  async (mode) => {
    const workspaceId = await service.workspace();
    const token = await service.token(workspaceId, { mode, access: 'write' });
    const index = await pageAt('/llms.txt');

    const blocks = [...index.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
    expect(blocks.length).toBeGreaterThan(2);
    const example = { language: 'sh', text: blocks.join('').replace(PLACEHOLDER, token) } as const;
    const { stdout, stderr } = await runExample(example, {}, await userProject());
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^\{"data":\[\],.*\}\{"id":"com_\w+","name":"Acme",.*"status":201,.*\n.*"status":201,.*\}$/,
    );

    for (const [link] of index.matchAll(/http:\/\/127\.0\.0\.1:\d+\/[\w./-]*(?=\))/g))
      await pageAt(link.slice(address.length));

    const companies = await service.request(token, '/v1/companies');
    expect(companies.json<{ data: readonly object[] }>().data).toHaveLength(mode === LIVE ? 2 : 0);
    const log = (await service.request(token, '/v1/audit-log?kind=api.request')).json<{
      readonly data: readonly AuditLogEntry[];
    }>();
    const statuses = log.data.map((entry) => ('status' in entry ? entry.status : undefined));
    expect(statuses).toEqual(mode === LIVE ? [200, 200, 201, 200] : []);
  },
);
