import { BusyError } from '@svc/turns';
import { errorCode, errorMessage } from '../config/errors.ts';
import { isUnavailable, UnavailableError } from '../database/errors.ts';

/** An error comes to another process as a message and a code. With these codes, its response is the same there. */
const BUSY = 'SVC_BUSY';
const UNAVAILABLE = 'SVC_UNAVAILABLE';

/** Throws the error with its code for the other process. */
export function throwToPeer(error: unknown): never {
  if (!isUnavailable(error)) throw error;
  const code = error instanceof BusyError ? BUSY : UNAVAILABLE;
  throw Object.assign(new Error(errorMessage(error), { cause: error }), { code });
}

/** Throws an error of the other process as BusyError or UnavailableError if it was one of those there. */
export function throwFromPeer(error: unknown): never {
  const code = errorCode(error);
  if (code === BUSY) throw new BusyError(errorMessage(error), { cause: error });
  if (code === UNAVAILABLE) throw new UnavailableError(errorMessage(error), { cause: error });
  throw error;
}
