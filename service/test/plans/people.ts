import type pg from 'pg';

/** Seeds `count` owners of the other workspaces: `usr_1`, `usr_2`, … Each has a row in the tables of people. */
export async function seedPeople(pool: pg.Pool, others: readonly string[], count: number): Promise<void> {
  const people = `(select 'usr_' || i as person, ($1::text[])[i % cardinality($1) + 1] as workspace
    from generate_series(1, $2::int) i order by hashtext(i::text)) each`;
  const insert = (table: string, columns: string, values: string) =>
    pool.query(`insert into ${table} (${columns}) select ${values} from ${people}`, [others, count]);
  const soon = `now() + interval '1 hour'`;
  await insert(
    'users',
    'id, name, email, created_at, updated_at',
    `person, 'name', person || '@example.com', now(), now()`,
  );
  for (const provider of [`'credential'`, `'https://issuer.example'`]) {
    await insert(
      'accounts',
      'id, user_id, provider_id, account_id, created_at, updated_at',
      `person || ${provider}, person, ${provider}, person, now(), now()`,
    );
  }
  await insert(
    'sessions',
    'id, token, user_id, expires_at, created_at, updated_at',
    `person, person, person, ${soon}, now(), now()`,
  );
  await insert('second_factors', 'id, user_id, secret, backup_codes', `person, person, person, ''`);
  await insert(
    'members',
    'workspace_id, user_id, id, role, created_at',
    `workspace, person, person, 'owner', now()`,
  );
  await insert(
    'invitations',
    'workspace_id, id, email, role, status, inviter_id, expires_at, created_at',
    `workspace, 'inv_' || person, person || '@example.com', 'viewer', 'pending', person, ${soon}, now()`,
  );
  await insert(
    'one_time_links',
    'token_hash, purpose, subject, expires_at, made_by',
    `sha256(person::bytea), 'password-reset', person, ${soon}, person`,
  );
  await insert(
    'dashboard_idempotency_keys',
    'user_id, idempotency_key, fingerprint, created_id',
    `person, 'key', '', 'created'`,
  );
  await insert('ended_sessions', 'token_hash, reason', `sha256(person::bytea), 'signed_out'`);
  await insert('sign_in_attempts', 'bucket, attempts, ends_at', `person, 1, ${soon}`);
}
