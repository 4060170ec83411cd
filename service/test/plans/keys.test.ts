import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeRequests } from '../../src/audit-log/append-requests.ts';
import type { AuditedRequest } from '../../src/audit-log/audited-request.ts';
import { writeChecked } from '../../src/audit-log/write-checked.ts';
import type { TestDatabase } from '../harness/database.ts';
import { inCluster } from '../harness/locks.ts';
import { metered, PLANS } from './buffers.ts';
import { createState, STATES, type StateName } from './states.ts';

/** The statements of the audit entries confirm the keys of their requests. The workspace has thousands of others. */

/** The clock of the log, read and written, and the ends of the ranges of the indexes. */
const GROUP_MAX = 40;
/** An entry, and the key if it is checked: the rows and their indexes. */
const ALL_WAYS = [
  { way: 'in one statement', entryMax: 10, write: writeRequests },
  { way: 'that are checked', entryMax: 14, write: writeChecked },
] as const;
// A cluster checks each request.
const WAYS = ALL_WAYS.filter(({ write }) => !inCluster() || write === writeChecked);

describe.each(Object.keys(STATES) as StateName[])('in a workspace %s', (name) => {
  let database: TestDatabase;
  let workspaceId: string;
  beforeAll(async () => {
    ({ database, workspaceId } = await createState(name));
  });

  describe.each(PLANS)('and with %s', (plan) => {
    test.each(WAYS.flatMap((way) => [1, 10, 100].map((count) => ({ ...way, count }))))(
      'the audit entries of $count keys $way read no other keys',
      async ({ count, write, entryMax }) => {
        await metered(database, plan, async ({ client, measure }) => {
          const { rows: keys } = await client.query<{ id: string; token_version: number }>(
            `select id, token_version from api_keys where workspace_id = $1 and revoked_at is null order by hashtext(id) limit $2`,
            [workspaceId, count],
          );
          expect(keys).toHaveLength(count);
          const requests = keys.map(
            ({ id, token_version }): AuditedRequest => ({
              ...{
                workspaceId,
                keyId: id,
                tokenVersion: token_version,
                counted: true,
                failed: false,
                durationMs: 1,
              },
              validity: { keysVersion: 0, expiresAt: null },
              entry: {
                kind: 'api.request',
                keyId: id,
                actor: null,
                path: '/v1/audits',
                requestId: randomUUID(),
              },
            }),
          );
          const patience = { waitFor: workspaceId, lockTimeoutMs: 1_000 };
          for (let i = 0; i < 2; i++) {
            const [statement] = await measure(async (measured) => {
              const written = await write(measured, new Map([[workspaceId, requests]]), patience);
              expect(written.get(workspaceId)).toHaveLength(count);
            });
            expect(statement?.buffers).toBeLessThanOrEqual(GROUP_MAX + count * entryMax);
          }
        });
      },
    );
  });
});
