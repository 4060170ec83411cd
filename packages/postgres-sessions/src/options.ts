/** Settings that this program sets for its sessions. They are removed from the URL, because pg would prefer its values. */
const OURS: ReadonlySet<string> = new Set([
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
]);

export interface UrlOptions {
  /** The URL without these options; otherwise unchanged. */
  readonly url: string;
  /** The value of `options`, in the form that the server accepts (`-c search_path=…`). Empty if there are none. */
  readonly options: string;
}

/**
 * Separates the session options from a database URL. pg uses either the options of the URL or those of the program. To
 * use both, the program appends its own to the result: of two values for a setting, the server uses the last.
 */
export function takeOptions(databaseUrl: string): UrlOptions {
  const [, address = databaseUrl, query = '', fragment = ''] =
    /^([^?#]*)\?([^#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const options: string[] = [];
  const kept = query.split('&').filter((parameter) => {
    const [[name, value] = ['', '']] = new URLSearchParams(parameter);
    if (name === 'options') options.push(value);
    return name !== 'options' && !OURS.has(name);
  });
  const rest = kept.join('&');
  return { url: `${address}${rest === '' ? '' : `?${rest}`}${fragment}`, options: options.join(' ') };
}

const LIBPQ_MODES = /[?&]uselibpqcompat=true(?=[&#]|$)/;
const WEAKER_MODES = /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/;

/** A database URL that asks for TLS in the only way in which pg has it, `verify-full`: it warns of the other names. */
export const withVerifiedTls = (databaseUrl: string): string =>
  LIBPQ_MODES.test(databaseUrl) ? databaseUrl : databaseUrl.replace(WEAKER_MODES, 'verify-full');
