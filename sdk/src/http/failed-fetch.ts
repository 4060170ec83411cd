import { SvcError, SvcNetworkError } from '../errors.ts';

/**
 * What a rejected `fetch` means: a fault of the network, unless it can only be a mistake, which no other try repairs. The
 * reason stays the cause.
 */
export function failedFetch(error: unknown, baseUrl: string): SvcError {
  if (error instanceof SvcError) return error;
  const inner = error instanceof Error ? innermost(error) : undefined;
  const reason = sentence(error instanceof Error ? inner?.message || error.message : String(error));
  if (inner !== undefined && isMistake(inner))
    return new SvcError(`The client's \`fetch\` has a mistake: ${reason}`, { cause: error });
  if (inner?.message === 'bad port')
    return new SvcError(`${baseUrl} has a port that \`fetch\` refuses.`, { cause: error });
  return new SvcNetworkError(`${baseUrl} could not be reached: ${reason}`, { cause: error });
}

/** Node's fetch says only `fetch failed`; why is in the causes. Where several addresses were tried, the first one's. */
function innermost(error: Error): Error {
  const next: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return next instanceof Error ? innermost(next) : error;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const MISTAKES: readonly string[] = ['ReferenceError', 'RangeError', 'SyntaxError', 'EvalError', 'URIError'];

/** How V8, JavaScriptCore and SpiderMonkey begin or end the TypeErrors of wrong programs; `fetch` fails with other ones. */
const WRONG_PROGRAM =
  /^(?:Cannot (?:read|set|destructure|access|convert|assign|add|define|delete|redefine)\b|Assignment to constant|undefined is not|null is not|can't (?:access|convert|define))|\bis not (?:a function|a constructor|iterable|an object|defined)\b|\bis (?:undefined|null)$/;

/** A mistake of the program: of a `fetch` that the client was given. A doubtful error is a fault of the network. */
function isMistake({ name, message }: Error): boolean {
  return MISTAKES.includes(name) || (name === 'TypeError' && WRONG_PROGRAM.test(message));
}
