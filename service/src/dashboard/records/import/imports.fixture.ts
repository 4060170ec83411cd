import { request } from 'node:http';
import { waitFor } from '@svc/embedded-postgres/testing';
import type { AuditLogEntry, ListEnvelope } from '@svc/sdk';
import { expect } from 'vitest';
import { createTestDashboard, PUBLIC_URL, type Visitor } from '../../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../../test/harness/service.ts';
import { BATCH_RECORDS } from '../../../bulk/batches.ts';

export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

export const NAMES = Array.from(
  { length: 4 * BATCH_RECORDS + 500 },
  (_, i) => `Company${i % 3 === 0 ? '\n' : ' '}${i}`,
);
const REFUSED_EVERY = 2_000;
export const REFUSED = Math.ceil(NAMES.length / REFUSED_EVERY);
const bad = (i: number, line: string): string => (i % REFUSED_EVERY === 9 ? `\n${line}\n` : '');
/** Files of companies without ids, with some blank and some invalid lines. The CSV file has cells of two lines. */
export const FILES = {
  [NDJSON]: NAMES.map((name, i) => `${JSON.stringify({ name })}\n${bad(i, '{"nome":1}')}`),
  [CSV]: ['name,domain\n', ...NAMES.map((name, i) => `"${name}",\n${bad(i, ',')}`)],
} as const;

export type Owner = Visitor & { readonly workspaceId: string };

/** Imports by the dashboard of two nodes on one database. The first one listens. */
export async function createImportWorld() {
  const a = await createTestService();
  const b = await createTestService({ database: a.database, clock: a.clock });
  const { pool, clock } = a;
  const dashboard = createTestDashboard(a);
  const origin = await a.app.listen({ host: '127.0.0.1', port: 0 });

  /** The owner of a new workspace, signed in on both nodes. */
  const ownerOnBoth = async (): Promise<{ readonly owner: Owner; readonly onB: Visitor }> => {
    const owner = await dashboard.owner();
    return { owner, onB: await dashboard.signIn(owner.userId, owner.email, b.app) };
  };
  /** The names of the workspace's companies, in the order in which they were written. */
  const namesOf = async ({ workspaceId }: Owner): Promise<readonly string[]> =>
    (
      await pool.query<{ name: string }>(
        'select name from companies where workspace_id = $1 order by created_at, id',
        [workspaceId],
      )
    ).rows.map(({ name }) => name);
  const entriesOf = async (owner: Owner): Promise<readonly AuditLogEntry[]> =>
    (await owner.send('GET', `/workspaces/${owner.workspaceId}/log?kind=records.imported`)).json<
      ListEnvelope<AuditLogEntry>
    >().data;
  /** Sends the beginning of a file by HTTP, and cuts the connection after this many companies are written. */
  const breakOff = async (owner: Owner, key: string, type: string, text: string, written: number) => {
    const quiet = a.log.length;
    const upload = request(`${origin}/dashboard/api${importsOf(owner)}`, {
      method: 'POST',
      headers: {
        host: new URL(PUBLIC_URL).host,
        cookie: owner.cookie,
        'content-type': type,
        'idempotency-key': key,
      },
    });
    upload.once('error', () => undefined);
    upload.write(text);
    await waitFor(async () => expect((await namesOf(owner)).length).toBeGreaterThanOrEqual(written));
    upload.destroy();
    const ended = (): boolean => a.log.slice(quiet).some((line) => line.includes('an import broke off'));
    await waitFor(() => expect(ended()).toBe(true));
  };
  return { pool, clock, ownerOnBoth, namesOf, entriesOf, breakOff };
}

export const importsOf = (owner: Owner, resource = 'companies'): string =>
  `/workspaces/${owner.workspaceId}/imports/${resource}`;

export const load = (
  who: Visitor,
  path: string,
  key: string,
  payload: NonNullable<Parameters<Visitor['send']>[3]>['payload'],
  type: string = NDJSON,
): Promise<TestAnswer> =>
  who.send('POST', path, undefined, {
    ...(payload === undefined ? {} : { payload }),
    headers: { 'content-type': type, 'idempotency-key': key },
  });

/** Like `load`, but repeats the request while the earlier one is still running. */
export const loadAgain = (...request: Parameters<typeof load>): Promise<TestAnswer> =>
  waitFor(async () => {
    const answer = await load(...request);
    expect(answer.status).not.toBe(409);
    return answer;
  });
