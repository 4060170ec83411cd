import { textOf } from '../checked-options.ts';
import { TOKEN_PATTERN } from '../contract/index.ts';
import { SvcError } from '../errors.ts';
import { printError } from '../runtime.ts';

/** From nothing to everything. A level includes those before it. */
const LOG_LEVELS = ['off', 'error', 'warn', 'info', 'debug'] as const;

/**
 * What the client logs. `error`: calls that failed. `warn`: also retries. `info`: also one line per response. `debug`: also
 * every request, and the headers of both.
 */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a line of the log is about. Tokens and other secrets in it are hidden. */
export interface LogDetails {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status?: number;
  readonly requestId?: string;
  /** Milliseconds until the headers of the response arrived. */
  readonly durationMs?: number;
  /** Only with the level `debug`. */
  readonly headers?: Readonly<Record<string, string>>;
}

type LogMethod = (message: string, details: LogDetails) => void;

/** Receives the lines of the log. `console` is one. */
export interface Logger {
  readonly error: LogMethod;
  readonly warn: LogMethod;
  readonly info: LogMethod;
  readonly debug: LogMethod;
}

/** Standard error, so that the output of a program stays its own. */
const standardError: Logger = {
  error: printError,
  warn: printError,
  info: printError,
  debug: printError,
};

const isLevel = (value: unknown): value is LogLevel => LOG_LEVELS.some((level) => level === value);

/** Returns the level if it is one. Throws {@link SvcError} that names its source otherwise. */
export function checkedLogLevel(source: string, value: unknown): LogLevel {
  if (isLevel(value)) return value;
  throw new SvcError(`${source} must be one of ${LOG_LEVELS.join(', ')}, not ${textOf(value)}.`);
}

/** Throws {@link SvcError} unless the logger has all methods. */
export function checkedLogger(logger: Logger | undefined): Logger {
  if (logger === undefined) return standardError;
  const methods: Readonly<Record<string, unknown>> = Object(logger);
  for (const name of LOG_LEVELS.slice(1)) {
    if (typeof methods[name] !== 'function')
      throw new SvcError(`"logger" must have the methods ${LOG_LEVELS.slice(1).join(', ')}, like console.`);
  }
  return logger;
}

/** The log of a client. */
export interface Log {
  /** Whether lines of this level are logged. */
  includes(level: LogLevel): boolean;
  /** Never throws: a mistake in a logger must not change a call. */
  write(level: Exclude<LogLevel, 'off'>, message: string, details: LogDetails): void;
}

export function createLog(level: LogLevel, logger: Logger): Log {
  const includes: Log['includes'] = (asked) => LOG_LEVELS.indexOf(asked) <= LOG_LEVELS.indexOf(level);
  return {
    includes,
    write(asked, message, details) {
      if (!includes(asked)) return;
      const { path, headers, ...rest } = details;
      const hidden = headers === undefined ? {} : { headers: hideHeaders(headers) };
      try {
        logger[asked](hideTokens(message), { ...rest, path: hideTokens(path), ...hidden });
      } catch {
        // The call goes on.
      }
    },
  };
}

const TOKENS = new RegExp(TOKEN_PATTERN, 'g');

const hideTokens = (text: string): string => text.replace(TOKENS, '$1…');

/** Names of headers that can have a secret, such as `Authorization`, `Set-Cookie` and `X-Api-Key`. */
const SECRET_HEADER = /auth|cookie|token|secret|password|credential|signature|key/;
const NOT_SECRET = 'idempotency-key';

const hideHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADER.test(name) && name !== NOT_SECRET ? '…' : hideTokens(value),
    ]),
  );

/** The headers of a response as an object. Those of a custom `fetch` may not be iterable: then it is empty. */
export function headersOf(headers: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  const { forEach }: { readonly forEach?: unknown } = Object(headers);
  if (typeof forEach !== 'function') return found;
  forEach.call(headers, (value: unknown, name: unknown) => {
    found[String(name).toLowerCase()] = String(value);
  });
  return found;
}
