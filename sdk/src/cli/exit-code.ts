import { SvcApiError, SvcError, SvcNetworkError, SvcTimeoutError } from '../errors.ts';
import { UsageError } from './command.ts';
import { BrokenPipe, Interrupted } from './io.ts';
import { NoKeyError } from './session.ts';

/** The service refused some records of a file, and the others were written. */
export class SomeRefused extends SvcError {}

/** The output was closed before the end of a file whose records are written. */
export class FileUnfinished extends SvcError {}

/** Exit codes of the command line. The help prints this table. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'Done.' },
  failed: { code: 1, meaning: 'Any other error.' },
  usage: { code: 2, meaning: 'The command or its options are wrong.' },
  key: { code: 3, meaning: 'There is no API key, or it is invalid or revoked.' },
  scope: { code: 4, meaning: 'The key may not do this.' },
  notFound: { code: 5, meaning: 'There is no such record or path.' },
  refused: { code: 6, meaning: 'The service refused the request: a parameter, the cursor or the data.' },
  conflict: { code: 7, meaning: 'The request conflicts with the current state of the record.' },
  limit: { code: 8, meaning: 'A limit is reached: the quota, or requests per second.' },
  unreachable: { code: 9, meaning: 'The service cannot be reached or is unavailable.' },
  service: { code: 10, meaning: 'The service failed.' },
  interrupted: { code: 130, meaning: 'Interrupted.' },
} as const;

type Outcome = keyof typeof EXIT_CODES;

const BY_STATUS: Readonly<Record<number, Outcome>> = {
  401: 'key',
  403: 'scope',
  404: 'notFound',
  408: 'unreachable',
  409: 'conflict',
  412: 'conflict',
  422: 'conflict',
  429: 'limit',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};
const FIRST_SERVER_STATUS = 500;

function outcomeOf(error: unknown): Outcome {
  if (error instanceof BrokenPipe) return 'done';
  if (error instanceof Interrupted) return 'interrupted';
  if (error instanceof UsageError) return 'usage';
  if (error instanceof NoKeyError) return 'key';
  if (error instanceof SomeRefused) return 'refused';
  if (error instanceof SvcNetworkError || error instanceof SvcTimeoutError) return 'unreachable';
  if (!(error instanceof SvcApiError)) return 'failed';
  return BY_STATUS[error.status] ?? (error.status >= FIRST_SERVER_STATUS ? 'service' : 'refused');
}

/** The exit code for an error that a command threw. */
export const exitCodeOf = (error: unknown): number => EXIT_CODES[outcomeOf(error)].code;
