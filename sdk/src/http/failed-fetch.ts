import { SvcError, SvcNetworkError } from '../errors.ts';

/**
 * Converts the error of a rejected `fetch`: to {@link SvcNetworkError}, or to {@link SvcError} if it can only be a
 * programming mistake, which a retry cannot repair. The original error is the `cause`.
 */
export function failedFetch(error: unknown, baseUrl: string): SvcError {
  if (error instanceof SvcError) return error;
  const inner = error instanceof Error ? innermost(error) : undefined;
  const reason = sentence(error instanceof Error ? inner?.message || error.message : String(error));
  if (inner !== undefined && isMistake(inner))
    return new SvcError(`The client's \`fetch\` has a mistake: ${reason}`, { cause: error });
  if (inner?.message === 'bad port')
    return new SvcError(`${baseUrl} has a port that \`fetch\` refuses.`, { cause: error });
  return new SvcNetworkError(`${baseUrl} could not be reached: ${tlsReason(reason) ?? reason}`, {
    cause: error,
  });
}

/** Where the response to a TLS handshake is not TLS. */
const NOT_TLS: readonly string[] = ['wrong version number', 'packet length too long', 'http request'];

/** The reason in a message of OpenSSL, which has the place in its source code too. Undefined: it is another message. */
function tlsReason(message: string): string | undefined {
  const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(message) ?? [];
  if (reason === undefined) return undefined;
  return NOT_TLS.includes(reason)
    ? 'it does not respond with TLS. Its address may begin with http instead of https.'
    : `TLS failed: ${reason}.`;
}

/**
 * The innermost cause. The message of Node's fetch is only `fetch failed`. If several addresses were tried, the first
 * error.
 */
function innermost(error: Error): Error {
  const next: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return next instanceof Error ? innermost(next) : error;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const MISTAKES: readonly string[] = ['ReferenceError', 'RangeError', 'SyntaxError', 'EvalError', 'URIError'];

/**
 * Texts of the TypeErrors that V8, JavaScriptCore and SpiderMonkey throw for wrong programs. Failures of `fetch` have
 * other texts.
 */
const WRONG_PROGRAM =
  /^(?:Cannot (?:read|set|destructure|access|convert|assign|add|define|delete|redefine)\b|Assignment to constant|undefined is not|null is not|can't (?:access|convert|define))|\bis not (?:a function|a constructor|iterable|an object|defined)\b|\bis (?:undefined|null)$/;

/** Whether the error is a mistake in a custom `fetch`. If in doubt, it counts as a network failure. */
function isMistake({ name, message }: Error): boolean {
  return MISTAKES.includes(name) || (name === 'TypeError' && WRONG_PROGRAM.test(message));
}
