import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { meteredProcess, PLANS, urlWithPlan } from '../../test/plans/buffers.ts';
import { createPool, inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../records/workspaces.ts';
import { deleteExpired } from './expired.ts';

test('responses stored for repeated requests are removed after 24 hours, not earlier', async () => {
  const { pool } = await createTestDatabase();
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  for (const [key, age] of [
    ['old', '24 hours 1 minute'],
    ['young', '23 hours 59 minutes'],
  ]) {
    await pool.query(
      `insert into idempotent_answers (workspace_id, idempotency_key, fingerprint, status, headers, body, created_at)
       values ($1, $2, '', 201, '{}', '', now() - $3::interval)`,
      [workspaceId, key, age],
    );
  }
  await deleteExpired({ pool, log: pino({ level: 'silent' }) });
  const { rows } = await pool.query('select idempotency_key as key from idempotent_answers');
  expect(rows).toEqual([{ key: 'young' }]);
});

test('hourly traffic is kept for two years', async () => {
  const { pool } = await createTestDatabase();
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  await pool.query(
    `insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
     select $1, date_trunc('hour', now()) - days * interval '1 day', 'live', 1, days, 0 from unnest(array[1, 731, 733]) as days`,
    [workspaceId],
  );
  await deleteExpired({ pool, log: pino({ level: 'silent' }) });
  const { rows } = await pool.query('select requests from traffic order by requests');
  expect(rows).toEqual([{ requests: 1 }, { requests: 731 }]);
});

test.each(PLANS)('expired traffic is found without reading the rest, with %s', async (plan) => {
  const { pool, url } = await createTestDatabase();
  const [busy, old] = [
    await inTransaction(pool, (client) => createWorkspace(client, 'busy')),
    await inTransaction(pool, (client) => createWorkspace(client, 'old')),
  ];
  const insert = (workspaceId: string, days: number, rows: number) =>
    pool.query(
      `insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
       select $1, date_trunc('hour', now()) - $2 * interval '1 day' - n / 100 * interval '1 hour', 'live', n % 100, 1, 0
       from generate_series(1, $3) n`,
      [workspaceId, days, rows],
    );
  await insert(busy, 1, 40_000);
  await insert(old, 800, 5);
  const planning = createPool({
    url: urlWithPlan(url, plan),
    max: 1,
    name: 'test',
    onError: () => undefined,
  });
  try {
    for (const analyze of [false, true]) {
      if (analyze) await pool.query('vacuum analyze traffic');
      const statements = await meteredProcess(() =>
        deleteExpired({ pool: planning, log: pino({ level: 'silent' }) }),
      );
      const ofTraffic = statements.filter(({ text }) => /\btraffic\b/.test(text));
      expect(ofTraffic).not.toEqual([]);
      for (const { text, buffers } of ofTraffic) expect(buffers, text).toBeLessThanOrEqual(50);
    }
  } finally {
    await planning.end();
  }
  expect((await pool.query('select from traffic where workspace_id = $1', [old])).rowCount).toBe(0);
});

test('the other expired rows are removed if some cannot be, and the failure is seen', async () => {
  const { pool } = await createTestDatabase();
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  await pool.query(`
    insert into idempotent_answers (workspace_id, idempotency_key, fingerprint, status, headers, body, created_at)
      values ('${workspaceId}', 'old', '', 201, '{}', '', now() - interval '2 days');
    insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
      values ('${workspaceId}', date_trunc('hour', now()) - interval '800 days', 'live', 1, 1, 0);
    insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position, deleted_at)
      values ('${workspaceId}', 'whe_1', '', '', true, '', '', now());
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused: %', tg_table_name; end $$;
    create trigger refuse before delete on idempotent_answers for each row execute function refuse();
    create trigger refuse before delete on traffic for each row execute function refuse();`);
  const lines: unknown[] = [];
  const log = { info: (values: unknown) => void lines.push(values) };
  await expect(deleteExpired({ pool, log })).rejects.toThrow(
    'stored responses (the first of 2 failures): refused: idempotent_answers',
  );
  expect(lines).toEqual([{ signIns: 0, deliveries: 0 }]);
  expect((await pool.query('select from webhook_endpoints')).rowCount).toBe(0);
});

test('the traffic and endpoints of the other workspaces are removed if those of one cannot be', async () => {
  const { pool } = await createTestDatabase();
  const ids: string[] = [];
  for (let i = 0; i < 3; i++)
    ids.push(await inTransaction(pool, (client) => createWorkspace(client, 'test')));
  const [first] = ids;
  await pool.query(
    `insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
     select id, date_trunc('hour', now()) - interval '800 days', 'live', 1, 1, 0 from unnest($1::text[]) id`,
    [ids],
  );
  await pool.query(
    `insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position, deleted_at)
     select id, 'whe_1', '', '', true, '', '', now() from unnest($1::text[]) id`,
    [ids],
  );
  await pool.query(
    `insert into webhook_attempts (workspace_id, endpoint_id, hour, bucket, delivered, failed)
     select id, 'whe_1', date_trunc('hour', now()), 1, 1, 0 from unnest($1::text[]) id`,
    [ids],
  );
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused: %', tg_table_name; end $$;
    create trigger refuse before delete on traffic for each row when (old.workspace_id = '${first}') execute function refuse();
    create trigger refuse before delete on webhook_attempts for each row when (old.workspace_id = '${first}')
      execute function refuse()`);
  await expect(deleteExpired({ pool, log: pino({ level: 'silent' }) })).rejects.toThrow(
    `traffic (the first of 2 failures): ${first}: refused: traffic`,
  );
  for (const table of ['traffic', 'webhook_endpoints'])
    expect((await pool.query(`select workspace_id as id from ${table}`)).rows).toEqual([{ id: first }]);
});

test('every part of the expired rows of sign-in is tried, and the failure names the first that failed', async () => {
  const { pool } = await createTestDatabase();
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  await pool.query(`
    insert into users (id, name, email, created_at, updated_at) values ('u', 'U', 'u@example.com', now(), now());
    insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
      values ('s', 's', 'u', now() - interval '1 day', now(), now());
    insert into verifications (id, identifier, value, expires_at, created_at, updated_at)
      values ('v', 'v', 'v', now() - interval '1 day', now(), now());
    insert into one_time_links (token_hash, purpose, expires_at) values ('l', 'sign-in', now() - interval '1 day');
    insert into invitations (workspace_id, id, email, role, status, inviter_id, expires_at, created_at)
      values ('${workspaceId}', 'i', 'i', 'viewer', 'pending', 'u', now(), now());
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused: %', tg_table_name; end $$;
    create trigger refuse before delete on sessions for each row execute function refuse();
    create trigger refuse before delete on one_time_links for each row execute function refuse()`);
  await expect(deleteExpired({ pool, log: pino({ level: 'silent' }) })).rejects.toThrow(
    'sign-ins: sessions (the first of 2 failures): refused: sessions',
  );
  const { rows } = await pool.query(
    'select (select count(*)::int from verifications) + (select count(*)::int from invitations) as left',
  );
  expect(rows).toEqual([{ left: 0 }]);
});

test('deliveries of webhooks are kept for 30 days, and longer if they are still to be sent', async () => {
  const { pool } = await createTestDatabase();
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  await pool.query(
    `insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position)
     values ($1, 'whe_1', '', '', true, '', '')`,
    [workspaceId],
  );
  await pool.query(
    `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, duration_ms, attempted_at,
       next_attempt_at, body)
     select $1, 'whe_1', state || days, '', state, 1, 0, now() - days * interval '1 day',
       case when state = 'pending' then now() end, case when state <> 'delivered' then '' end::bytea
     from unnest(array['delivered', 'failed', 'pending']) as state, unnest(array[29, 31]) as days`,
    [workspaceId],
  );
  await deleteExpired({ pool, log: pino({ level: 'silent' }) });
  const { rows } = await pool.query('select event_id as id from webhook_deliveries order by event_id');
  expect(rows.map(({ id }) => id)).toEqual(['delivered29', 'failed29', 'pending29', 'pending31']);
});

test('all expired rows are removed, in short statements, however many there are', async () => {
  const { pool } = await createTestDatabase();
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  const numbers = 'select generate_series(1, 2500)::text as i';
  await pool.query(`
    insert into idempotent_answers (workspace_id, idempotency_key, fingerprint, status, headers, body, created_at)
      select '${workspaceId}', i, '', 201, '{}', '', now() - interval '2 days' from (${numbers}) n;
    insert into users (id, name, email, created_at, updated_at) values ('u', 'U', 'u@example.com', now(), now());
    insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
      select i, i, 'u', now() - interval '1 day', now(), now() from (${numbers}) n;
    insert into verifications (id, identifier, value, expires_at, created_at, updated_at)
      select i, i, i, now() - interval '1 day', now(), now() from (${numbers}) n;
    insert into one_time_links (token_hash, purpose, expires_at)
      select i::bytea, 'sign-in', now() - interval '1 day' from (${numbers}) n;
    insert into invitations (workspace_id, id, email, role, status, inviter_id, expires_at, created_at)
      select '${workspaceId}', i, i, 'viewer', case when i like '%1' then 'accepted' else 'pending' end, 'u', now(), now()
      from (${numbers}) n;
    insert into rate_limits (id, key, count, last_request) select i, i, 1, 0 from (${numbers}) n;
    insert into dashboard_idempotency_keys (user_id, idempotency_key, fingerprint, created_id, created_at)
      select 'u', i, '', 'x', now() - interval '2 days' from (${numbers}) n;
    create function refuse_many() returns trigger language plpgsql as $$
      begin
        if (select count(*) from removed) > 1000 then raise 'too many rows at once'; end if;
        return null;
      end $$;`);
  const tables = [
    'idempotent_answers',
    'sessions',
    'verifications',
    'one_time_links',
    'invitations',
    'rate_limits',
    'dashboard_idempotency_keys',
  ];
  for (const table of tables) {
    await pool.query(
      `create trigger few after delete on ${table} referencing old table as removed
       for each statement execute function refuse_many()`,
    );
  }
  const lines: string[] = [];
  const ended = AbortSignal.abort();
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  await deleteExpired({ pool, log, signal: ended });
  await deleteExpired({ pool, log });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { answers: 0, signIns: 0 },
    { answers: 2_500, signIns: 6 * 2_500 },
  ]);
  for (const table of tables) expect((await pool.query(`select 1 from ${table}`)).rowCount, table).toBe(0);
});
