/**
 * SQL: whether a row of `api_keys` is a key that may make requests now: not revoked, paused or expired. Every statement that
 * accepts a key uses it, together with {@link workspaceIsOpen}. The clock of the database decides, so all nodes refuse an
 * expired key at the same time. It names columns of `api_keys` only, without the table.
 */
export const KEY_IS_VALID =
  '(revoked_at is null and paused_at is null and (expires_at is null or expires_at > statement_timestamp()))';

/**
 * SQL: whether a workspace is not deleted. The keys of a deleted workspace are refused without a change of them, because
 * there may be many. `id`: SQL of the workspace's id. Null if there is no such workspace.
 */
export const workspaceIsOpen = (id: string): string =>
  `(select deleted_at is null from workspaces where id = ${id})`;
