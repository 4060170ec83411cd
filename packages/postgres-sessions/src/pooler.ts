import type pg from 'pg';
import { askConsole, type PgBouncer } from './console.ts';
import { type ExaminedSession, examineSession } from './examine.ts';
import { type SessionLimits, settingsOf, type WrongSetting, wrongSettings } from './settings.ts';
import { explainTls } from './tls.ts';

/** A pooler, or the role behind it, is not set up for the service. The message is for the operator. */
export class PoolerError extends Error {
  /** The SQL that sets the missing settings of the role. Empty if none is missing. */
  readonly sql: string;
  constructor(message: string, sql = '') {
    super(message);
    this.sql = sql;
  }
}

const NEEDED = 'PgBouncer 1.21 or newer, pool_mode = transaction and max_prepared_statements above 0';

/**
 * Checks the session behind a new connection through a pooler in transaction mode. Throws PoolerError if prepared statements
 * do not work there, or if the role lacks settings.
 */
export async function requirePooled(
  client: pg.ClientBase,
  url: string,
  limits: SessionLimits,
): Promise<void> {
  const wanted = settingsOf(limits);
  const session = await examineSession(client, wanted.keys());
  if (session.pooled && session.namesUnchanged) throw unprepared(await askConsole(url));
  const wrong = wrongSettings(wanted, session.settings);
  if (wrong.length > 0) throw missing(session, wrong);
}

/** Throws PoolerError if the server, or a pooler in between, has dropped the settings of a session. */
export async function requireDirect(client: pg.ClientBase, limits: SessionLimits): Promise<void> {
  const wanted = settingsOf(limits);
  const { pooled, settings } = await examineSession(client, wanted.keys());
  const [wrong] = wrongSettings(wanted, settings);
  if (wrong === undefined) return;
  throw new PoolerError(
    `${pooled ? 'a connection pooler' : 'a server'} ignores the settings of a session (${wrong.name} is ` +
      `"${wrong.found}", not "${wrong.wanted}"). ${ADVICE}`,
  );
}

const ADVICE =
  'Connect to PostgreSQL directly, or go through PgBouncer 1.21 or newer in transaction mode with ' +
  'SVC_DATABASE_POOLER=transaction and SVC_DATABASE_DIRECT_URL (docs/pgbouncer.md)';

/** PgBouncer refuses a connection with the startup parameter `options`, since 1.20 because of what is in it. */
const REFUSAL = /unsupported startup parameter(?: in options)?: \w+/;

/**
 * What to do about a connection that failed because of TLS, or that PgBouncer refused because of its settings. Undefined: it
 * failed for another reason.
 */
export function explainRefusal(error: unknown): string | undefined {
  const tls = explainTls(error);
  if (tls !== undefined) return tls;
  const found = error instanceof Error ? REFUSAL.exec(error.message)?.[0] : undefined;
  if (found === undefined) return undefined;
  return `PgBouncer is in between, and refuses the settings of a session (${found}). ${ADVICE}`;
}

/** The explanation of {@link explainRefusal} with the version of the PgBouncer at the URL, if it says it. */
export async function explainRefusalAt(error: unknown, url: string): Promise<string | undefined> {
  const text = explainRefusal(error);
  if (text === undefined || explainTls(error) !== undefined) return text;
  const found = await askConsole(url);
  return found === undefined
    ? text
    : `${text}. This is ${found.version}${tooOld(found.version) ? ': too old' : ''}`;
}

const [MAJOR, MINOR] = [1, 21];

/** Whether the version is older than the first one with prepared statements in transaction mode. */
export function tooOld(version: string): boolean {
  const [, major = MAJOR, minor = MINOR] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  return major < MAJOR || (major === MAJOR && minor < MINOR);
}

function unprepared(found: PgBouncer | undefined): PoolerError {
  const needed = `SVC_DATABASE_POOLER=transaction needs ${NEEDED} (docs/pgbouncer.md)`;
  const why = 'the pooler does not support prepared statements';
  if (found === undefined)
    return new PoolerError(
      `${why}: it is older than PgBouncer 1.21, or max_prepared_statements is 0. ${needed}`,
    );
  if (tooOld(found.version)) return new PoolerError(`${found.version} is too old: ${why}. ${needed}`);
  const is = ['pool_mode', 'max_prepared_statements']
    .map((name) => `${name} = ${found.settings.get(name)}`)
    .join(' and ');
  return new PoolerError(`${why}: ${found.version} has ${is}. ${needed}`);
}

function missing({ role, database }: ExaminedSession, wrong: readonly WrongSetting[]): PoolerError {
  const sql = wrong
    .map(({ name, wanted }) => `alter role ${role} in database ${database} set ${name} = '${wanted}';`)
    .join('\n');
  const found = wrong.map(({ name, found }) => `${name} is "${found}"`).join(', ');
  return new PoolerError(
    `behind the pooler, sessions of the role ${role} lack settings (${found}). Run as this role, or as a superuser:\n` +
      `${sql}\nThen run RECONNECT on the console of PgBouncer, because sessions that are open keep their settings`,
    sql,
  );
}
