import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PAGE_PATHS } from '../../src/page-paths.ts';
import { DATA_RESOURCES } from '../../src/resources/resources.ts';
import { ENDPOINT_ID } from './webhook-popups.ts';
import type { Person, World } from './world.ts';

/** What takes the place of the parameters in the paths of pages, after `seedPages`. */
const PARAMETERS: Readonly<Record<string, string>> = {
  $resource: 'content',
  $recordId: 'con_a',
  $keyId: 'key_a',
  $endpointId: ENDPOINT_ID,
  // There is no such event. webhooks/deliveries.test.ts has pages of deliveries.
  $eventId: 'evt_unknown',
};

/** The pages for people with a session, derived from all paths. There is one per list. `$workspaceId` is left. */
export const SIGNED_IN_PAGES: readonly string[] = PAGE_PATHS.filter(
  (path) => path.startsWith('/w/') || path === '/account',
).flatMap((path) =>
  path.endsWith('/$resource')
    ? DATA_RESOURCES.map(({ name }) => path.replace('$resource', name))
    : [path.replace(/\$(?!workspaceId)\w+/g, (name) => parameter(name))],
);

/** The pages of `SIGNED_IN_PAGES` that also exist in an empty workspace. */
export const PAGES_WITHOUT_DATA: readonly string[] = SIGNED_IN_PAGES.filter(
  (path) => !Object.values(PARAMETERS).some((value) => path.endsWith(`/${value}`) && value !== 'content'),
);

/** The pages before the sign-in. */
export const OUTSIDE_PAGES: readonly string[] = PAGE_PATHS.filter(
  (path) => !path.startsWith('/w/') && path !== '/account' && path !== '/',
);

function parameter(name: string): string {
  const value = PARAMETERS[name];
  if (value === undefined) throw new Error(`PARAMETERS has no value for ${name}`);
  return value;
}

/** Creates what the pages show: a record per list, a key, an endpoint, an entry with a person and a key. */
export async function seedPages({ pool }: World, { workspaceId, email }: Person): Promise<void> {
  const createdAt = '2026-03-01T09:30:00Z';
  const seed = (name: string, row: Parameters<typeof seedRecords>[3][number]): Promise<void> =>
    seedRecords(pool, workspaceId, resourceNamed(name), [row]);
  await seed('companies', { id: 'com_a', name: 'Acme', createdAt });
  await seed('audits', { id: 'aud_a', companyId: 'com_a', createdAt });
  await seed('mentions', { id: 'men_a', companyId: 'com_a', createdAt });
  await seed('content', { id: 'con_a', companyId: 'com_a', createdAt });
  await seed('api-keys', { id: 'key_a', companyId: 'com_a', revokedAt: null, createdAt });
  await seedWebhook({ pool }, workspaceId, ENDPOINT_ID);
  await pool.query(
    `insert into audit_log (workspace_id, id, created_at, kind, key_id, actor, target_id, doc)
     select $1, 'log_a', at, 'key.revoked', 'key_a', $2, 'key_a', json_build_object('id', 'log_a', 'kind', 'key.revoked',
       'createdAt', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'keyId', 'key_a', 'actor', $2::text,
       'targetType', 'key', 'targetId', 'key_a', 'targetLabel', 'key_a')
     from (select now() as at) t`,
    [workspaceId, email],
  );
}

/** Creates a webhook endpoint without a request, which would need a receiver. Its secret cannot be opened. */
export async function seedWebhook(
  { pool }: Pick<World, 'pool'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  await pool.query(
    `insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position)
     values ($1, $2, 'https://example.com/hook', '', true, 'sealed elsewhere', '')`,
    [workspaceId, id],
  );
}

/** Waits for the heading of the page, and until nothing on it is a placeholder. */
export async function pageLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: /^(?!Loading$)/ }).waitFor();
  await expect.poll(() => page.locator('.animate-pulse').count(), { timeout: 30_000 }).toBe(0);
}
