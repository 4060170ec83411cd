/**
 * SQL: whether a row of `api_keys` is a key that may make requests now. Every statement that accepts a key uses it. It names
 * columns of `api_keys` only, without the table.
 */
export const KEY_IS_VALID = 'revoked_at is null';
