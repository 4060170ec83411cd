/**
 * SQL: whether a row of `api_keys` is a key that may make requests now: not revoked, paused or expired,
 * and not of a deleted workspace. Every statement that
 * accepts a key uses it. The clock of the database decides, so all nodes refuse an expired key at the same time. It names
 * columns of `api_keys` only, without the table.
 */
export const KEY_IS_VALID =
  '(revoked_at is null and paused_at is null and not workspace_deleted and (expires_at is null or expires_at > statement_timestamp()))';
