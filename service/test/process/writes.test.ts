import { waitFor } from '@svc/embedded-postgres/testing';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { type ServiceProcess, startSvcd } from '../harness/process.ts';
import {
  bearer,
  connectEmbedded,
  type RunningService,
  startRunningService,
} from '../harness/running-service.ts';

/** More by `KILLS=100 npx vitest run service/test/process/writes.test.ts`. */
const KILLS = Number(process.env['KILLS'] ?? 8);
const CLIENTS = 8;
/** Writes that are answered before the service is killed again. */
const ANSWERS_BETWEEN_KILLS = 40;
const BATCH_RECORDS = 5;
const TIMEOUT_MS = 60_000 + KILLS * 20_000;
/** The key of the advisory lock that a commit waits for. */
const COMMIT_LOCK = 4711;

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly ids: readonly string[];
}

interface Write {
  readonly url: string;
  readonly key: string;
  readonly body: object;
}

/** Sends a write once. Undefined if the service ended before the whole response had arrived. */
async function post(
  service: ServiceProcess,
  token: string,
  { url, key, body }: Write,
): Promise<Answer | undefined> {
  try {
    const answer = await fetch(`${service.url}${url}`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    const parsed = (await answer.json()) as { id?: string; data?: readonly { id: string }[] };
    const ids = parsed.data?.map(({ id }) => id) ?? (parsed.id === undefined ? [] : [parsed.id]);
    return { status: answer.status, replayed: answer.headers.has('idempotent-replayed'), ids };
  } catch {
    return undefined;
  }
}

interface Writing extends RunningService {
  readonly token: string;
  readonly database: pg.Client;
}

async function startWriting(workers: string): Promise<Writing> {
  const running = await startRunningService({ SVC_WORKERS: workers, SVC_LOG_LEVEL: 'info' });
  const { token } = await running.dashboard.createKey(running.workspaceId, { access: 'write' });
  const company = { url: '/v1/companies', key: 'company', body: { id: 'acme', name: 'Acme' } };
  expect((await post(running.service, token, company))?.status).toBe(201);
  return { ...running, token, database: await connectEmbedded(running.env['SVC_DATA_DIR'] ?? '') };
}

const audit = (headlineScore = 50) => ({
  companyId: 'acme',
  headlineScore,
  completedAt: '2026-03-01T09:30:00Z',
});

async function storedIds(database: pg.Client): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>('select id from audits order by created_at, id');
  return rows.map(({ id }) => id);
}

const kill = async ({ stop }: ServiceProcess): Promise<void> => {
  expect(await stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
};

test(
  'kill -9 again and again under writes, with clients that repeat what had no answer: nothing is lost or doubled',
  async () => {
    const { env, token, service } = await startWriting('2');
    let current = Promise.resolve(service);
    const answered: string[] = [];
    const state = { answers: 0, replayed: 0, done: false };

    const client = async (name: number): Promise<void> => {
      for (let n = 0; !state.done; n++) {
        const single = n % 3 !== 0;
        const body = single ? audit() : { data: Array.from({ length: BATCH_RECORDS }, () => audit(n % 101)) };
        const write = { url: single ? '/v1/audits' : '/v1/audits/batch', key: `${name}-${n}`, body };
        let answer: Answer | undefined;
        while (answer?.status !== 201) answer = await post(await current, token, write);
        answered.push(...answer.ids);
        state.answers++;
        if (answer.replayed) state.replayed++;
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)));
    for (let kills = 0; kills < KILLS; kills++) {
      const enough = state.answers + ANSWERS_BETWEEN_KILLS;
      await waitFor(() => expect(state.answers).toBeGreaterThan(enough));
      const victim = await current;
      current = kill(victim).then(() => startSvcd(env));
      await current;
    }
    state.done = true;
    await clients;

    const reader = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
    expect((await storedIds(reader)).toSorted()).toEqual(answered.toSorted());
    expect(new Set(answered).size).toBe(answered.length);
    expect(await (await current).stop()).toEqual({ code: 0, signal: null });
  },
  TIMEOUT_MS,
);

describe('kill -9', { timeout: TIMEOUT_MS }, () => {
  const write = { url: '/v1/audits', key: 'the-write', body: audit() };

  test('between the commit and the answer: the repeat gets the first answer, and there is one record', async () => {
    const { env, token, service, database } = await startWriting('1');
    // A commit that waits for a lock continues when the service is gone.
    await database.query(`create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${COMMIT_LOCK}); return null; end $$;
      create constraint trigger wait after insert on audits deferrable initially deferred
      for each row execute function wait()`);
    await database.query(`select pg_advisory_lock(${COMMIT_LOCK})`);
    const lost = post(service, token, write);
    await waitFor(async () => {
      const { rows } = await database.query(
        `select 1 from pg_stat_activity where query = 'commit' and wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    });
    await kill(service);
    expect(await lost).toBeUndefined();
    expect(await storedIds(database)).toEqual([]);
    await database.query(`select pg_advisory_unlock(${COMMIT_LOCK})`);
    await waitFor(async () => expect(await storedIds(database)).toHaveLength(1));
    await database.query('drop function wait cascade');

    const again = await startSvcd(env);
    const reader = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
    const ids = await storedIds(reader);
    for (const _ of [1, 2]) {
      expect(await post(again, token, write)).toEqual({ status: 201, replayed: true, ids });
    }
    expect(await storedIds(reader)).toEqual(ids);
    const { rows } = await reader.query<{ ids: readonly string[] }>(
      `select doc::json->'recordIds' as ids from audit_log where doc::json->>'path' = '/v1/audits' order by created_at`,
    );
    expect(rows.map((row) => row.ids)).toEqual([ids, [], []]);
    await again.stop();
  });

  test('before the commit: there is no record, and the repeated request creates it', async () => {
    const { env, token, service, database, workspaceId } = await startWriting('1');
    await database.query('begin');
    await database.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
    const lost = post(service, token, write);
    await waitFor(async () => {
      const { rows } = await database.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      expect(rows).toHaveLength(1);
    });
    await kill(service);
    expect(await lost).toBeUndefined();
    await database.query('rollback');

    const again = await startSvcd(env);
    const reader = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
    expect(await storedIds(reader)).toEqual([]);
    const answer = await post(again, token, write);
    expect(answer).toMatchObject({ status: 201, replayed: false });
    expect(await storedIds(reader)).toEqual(answer?.ids);
    await again.stop();
  });
});
