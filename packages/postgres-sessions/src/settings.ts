/** What bounds the statements and transactions of a session. */
export interface SessionLimits {
  readonly statementTimeoutMs: number;
  /** 0: only the statement timeout. */
  readonly lockTimeoutMs: number;
  /** 0: no limit. */
  readonly idleInTransactionTimeoutMs: number;
  /** Whether the server refuses to write. */
  readonly readOnly: boolean;
}

/**
 * What every session has, whatever its limits.
 *
 * - UTC and the ISO style, because cursors contain times as text.
 * - A backslash in a string is a backslash, as in standard SQL.
 * - `read committed`, because a transaction that waited for a lock must see what was committed meanwhile.
 * - The planner prefers the index that has the order of a statement, whatever the statistics say. A statement for which
 *   there is no such index still sorts. PostgreSQL 15 counts each forbidden step as an immense cost, at which it would
 *   compile the statement (jit). docs/decisions/0014 has the reasons.
 */
export const FIXED_SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['TimeZone', 'UTC'],
  ['DateStyle', 'ISO'],
  ['standard_conforming_strings', 'on'],
  ['default_transaction_isolation', 'read committed'],
  ['enable_sort', 'off'],
  ['enable_incremental_sort', 'off'],
  ['enable_bitmapscan', 'off'],
  ['enable_seqscan', 'off'],
  ['jit', 'off'],
];

/** The values of the settings of a session, by their names. Times are milliseconds. */
export const settingsOf = (limits: SessionLimits): ReadonlyMap<string, string> =>
  new Map([
    ...FIXED_SETTINGS,
    ['statement_timeout', String(limits.statementTimeoutMs)],
    ['lock_timeout', String(limits.lockTimeoutMs)],
    ['idle_in_transaction_session_timeout', String(limits.idleInTransactionTimeoutMs)],
    ['default_transaction_read_only', limits.readOnly ? 'on' : 'off'],
  ]);

/** The startup parameter `options` that sets all of them, after those of the URL. */
export const startupOptions = (given: string, limits: SessionLimits): string =>
  [
    given,
    ...[...settingsOf(limits)].map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`),
  ].join(' ');

/** A setting that a session does not have. */
export interface WrongSetting {
  readonly name: string;
  readonly wanted: string;
  /** The value in the session. */
  readonly found: string;
}

function isSame(name: string, wanted: string, found: string): boolean {
  // The server adds the order of day and month, which only dates without a time zone depend on.
  if (name === 'DateStyle') return found.split(',')[0] === wanted;
  // Debian calls it Etc/UTC, and PgBouncer keeps that of the first session of its pool.
  return found === wanted || (name === 'TimeZone' && found === `Etc/${wanted}`);
}

/** The settings that differ. `found` has the values of pg_settings, and those that the session should have are wanted. */
export function wrongSettings(
  wanted: ReadonlyMap<string, string>,
  found: Readonly<Record<string, string>>,
): readonly WrongSetting[] {
  const wrong = [...wanted].flatMap(([name, value]) => {
    const actual = found[name] ?? '';
    return isSame(name, value, actual) ? [] : [{ name, wanted: value, found: actual }];
  });
  // All other values wait for the disk.
  if (found[DURABILITY] === 'off') wrong.push({ name: DURABILITY, wanted: 'on', found: 'off' });
  return wrong;
}

export const DURABILITY = 'synchronous_commit';
