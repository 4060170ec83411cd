import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { BATCH_RECORDS } from '../../src/bulk/batches.ts';
import type { ImportAnswer } from '../../src/dashboard/wire.ts';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startSvcd } from '../harness/process.ts';
import { findingsOf } from '../harness/verify.ts';

const NAMES = Array.from({ length: 10 * BATCH_RECORDS }, (_, i) => `Company ${i}`);
const FILE = NAMES.map((name) => `${JSON.stringify({ name })}\n`).join('');

const { url, pool } = await createTestDatabase();
const env = { SVC_DATABASE_URL: url, SVC_SECRET: randomBytes(32).toString('base64url') };

test.each([1, 4])(
  'a service that is killed after %i batches of an import of the dashboard: a repeat adds the rest, nothing twice',
  async (batches) => {
    const service = await startSvcd(env);
    const email = `${randomUUID()}@example.com`;
    const workspaceId = await bootstrapWorkspace(env, email);
    const { headers } = await signIn(service, email);
    const target = `${service.url}/dashboard/api/workspaces/${workspaceId}/imports/companies`;
    const sent = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson', 'idempotency-key': randomUUID() },
    };
    const namesThere = async (): Promise<readonly string[]> => {
      const { rows } = await pool.query<{ name: string }>(
        'select name from companies where workspace_id = $1 order by created_at, id',
        [workspaceId],
      );
      return rows.map(({ name }) => name);
    };

    const upload = request(target, sent);
    upload.once('error', () => undefined);
    upload.write(FILE);
    await waitFor(async () => {
      expect((await namesThere()).length).toBeGreaterThanOrEqual(batches * BATCH_RECORDS);
    });
    expect(await service.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    upload.destroy();

    const again = await startSvcd({ ...env, SVC_PORT: new URL(service.url).port });
    const repeat = async (): Promise<{ readonly status: number; readonly answer: ImportAnswer }> => {
      const response = await fetch(target, { ...sent, body: FILE });
      return { status: response.status, answer: (await response.json()) as ImportAnswer };
    };
    // The service cannot know that the killed process no longer imports.
    expect((await repeat()).status).toBe(409);
    // As if that time had passed. PostgreSQL has rolled back what was not committed.
    await pool.query('update imports set active_until = now() where workspace_id = $1', [workspaceId]);
    const there = await namesThere();
    expect(there).toEqual(NAMES.slice(0, there.length));
    const { status, answer } = await repeat();
    expect(status).toBe(201);
    expect(answer).toMatchObject({ inserted: NAMES.length, addedBefore: there.length, refused: 0 });
    expect(await namesThere()).toEqual(NAMES);
    expect(await repeat()).toMatchObject({ status: 200, answer: { id: answer.id, inserted: NAMES.length } });
    expect(await namesThere()).toHaveLength(NAMES.length);
    const { rows } = await pool.query(
      `select doc::json ->> 'records' as records from audit_log_entries where workspace_id = $1 and kind = 'records.imported'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ records: String(NAMES.length) }]);
    expect(await findingsOf(pool)).toEqual([]);
    expect(await again.stop()).toEqual({ code: 0, signal: null });
  },
);
