/** Settings of the session that this program gives itself; pg would take the URL's instead. */
const OURS: ReadonlySet<string> = new Set([
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
]);

export interface UrlOptions {
  /** Without them; all else as it was. */
  readonly url: string;
  /** Of `options`, as the server takes them: `-c search_path=…`; an empty string when there are none. */
  readonly options: string;
}

/**
 * Takes the session's options out of a database URL. pg uses either those of the URL or those of the program: to have
 * both, the program appends its own to what this returns, and of two for one setting the server takes the last.
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
