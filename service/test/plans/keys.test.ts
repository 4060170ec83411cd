import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AuditedRequest, writeRequests } from '../../src/audit-log/append-requests.ts';
import type { TestDatabase } from '../harness/database.ts';
import { metered, PLANS } from './buffers.ts';
import { createState, STATES, type StateName } from './states.ts';

/** The statement of the audit entries confirms the keys of its requests. The workspace has thousands of others. */

/** The clock of the log, read and written, and the ends of the ranges of the indexes. */
const GROUP_MAX = 40;
/** A key and its entry: the rows and their indexes. */
const ENTRY_MAX = 14;

describe.each(Object.keys(STATES) as StateName[])('in a workspace %s', (name) => {
  let database: TestDatabase;
  let workspaceId: string;
  beforeAll(async () => {
    ({ database, workspaceId } = await createState(name));
  });

  describe.each(PLANS)('and with %s', (plan) => {
    test.each([1, 10, 100])('the audit entries of %i keys look up only these keys', async (count) => {
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
            const written = await writeRequests(measured, new Map([[workspaceId, requests]]), patience);
            expect(written.get(workspaceId)).toHaveLength(count);
          });
          expect(statement?.buffers).toBeLessThanOrEqual(GROUP_MAX + count * ENTRY_MAX);
        }
      });
    });
  });
});
