/**
 * SQL: whether a row of `api_keys` is a key that may make requests now: not revoked, paused or expired. Every statement that
 * reads a key to accept it uses it, together with {@link workspaceIsOpen}. The statement of the audit entries reads no key:
 * it compares the version of the keys and the expiry (append-requests.ts). So what makes this condition false must increment
 * that version. The clock of the database decides, so all nodes refuse an expired key at the same time. It names columns of
 * `api_keys` only, without the table.
 */
export const KEY_IS_VALID =
  '(revoked_at is null and paused_at is null and (expires_at is null or expires_at > statement_timestamp()))';

/**
 * SQL: whether a workspace is not deleted. The keys of a deleted workspace are refused without a change of them, because
 * there may be many. `id`: SQL of the workspace's id. Null if there is no such workspace.
 */
export const workspaceIsOpen = (id: string): string =>
  `(select deleted_at is null from workspaces where id = ${id})`;
