import type pg from 'pg';

/** Values of all types have one text form, and no time limit ends the work. Until the transaction ends. */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // An error instead of missing rows.
  row_security: 'off',
};
/** The first version with `transaction_timeout`. */
const TRANSACTION_TIMEOUT_SINCE = 17_00_00;

/** Begins a transaction that has no time limits. No statement of it has taken a snapshot yet. */
export async function begin(client: pg.ClientBase, mode: string): Promise<void> {
  await client.query(`begin ${mode}`);
  for (const [name, value] of Object.entries(SETTINGS)) await client.query(`set local ${name} = '${value}'`);
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  if (Number(rows[0]?.server_version_num) >= TRANSACTION_TIMEOUT_SINCE)
    await client.query('set local transaction_timeout = 0');
}
