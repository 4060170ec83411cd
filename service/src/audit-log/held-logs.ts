import { GROUP_STATEMENT_TIMEOUT_MS, HELD_LOG_LOCK_TIMEOUT_MS } from '../config/limits.ts';
import type { Queryable } from '../database/lane.ts';

/** The workspaces of these whose log another transaction holds. Waits for no lock. */
export async function heldLogs(
  client: Queryable,
  workspaceIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ workspace_id: string }>(HELD, [workspaceIds]);
  return rows.map((row) => row.workspace_id);
}

const HELD = `
  with free as materialized (
    select workspace_id from live_meters where workspace_id = any($1) for no key update skip locked
  )
  select workspace_id from live_meters where workspace_id = any($1) and workspace_id not in (select workspace_id from free)`;

/**
 * Locks one log for the rest of the transaction: the first of these that is free. If none is, waits for that of
 * `patient`; fails with `lock_not_available` when it stays held. From here on the transaction's statements have the
 * time that those of a group have.
 */
export async function lockOneLog(
  client: Queryable,
  workspaceIds: readonly string[],
  patient: string,
): Promise<string> {
  await client.query(TIME_LIMITS);
  const { rows } = await client.query<{ workspace_id: string }>(LOCK_FREE, [workspaceIds]);
  const [free] = rows;
  if (free !== undefined) return free.workspace_id;
  await client.query(LOCK, [patient]);
  return patient;
}

const TIME_LIMITS = `
  select set_config('statement_timeout', '${GROUP_STATEMENT_TIMEOUT_MS}', true),
    set_config('lock_timeout', '${HELD_LOG_LOCK_TIMEOUT_MS}', true)`;

const LOCK_FREE = `
  select workspace_id from live_meters where workspace_id = any($1)
  order by array_position($1::text[], workspace_id) limit 1 for no key update skip locked`;

const LOCK = 'select from live_meters where workspace_id = $1 for no key update';
