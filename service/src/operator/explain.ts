import { EmbeddedError } from '@svc/embedded-postgres';
import pg from 'pg';
import { BulkError } from '../bulk/error.ts';
import { ConfigError } from '../config/config.ts';
import { errorMessage } from '../config/error-message.ts';
import { OperatorError } from '../config/operator-error.ts';
import { MigrationError } from '../database/migrate.ts';
import { isUnavailable } from '../database/unavailable.ts';
import { ApiError } from '../http/errors.ts';

/** A failure in one or a few lines for the operator, and the exit code that goes with it. */
export interface Explanation {
  readonly text: string;
  readonly exitCode: number;
  /** Whether it is this program's own fault, so that its stack is of use. */
  readonly unexpected: boolean;
}

/** Errors whose messages are written for the operator. */
const EXPECTED = [OperatorError, BulkError, EmbeddedError, MigrationError];

export const FAILED = 1;
/** Wrong configuration or arguments, as is usual for command lines. */
export const MISUSED = 2;

export function explain(error: unknown): Explanation {
  // Thrown while something else was already being cleaned up: the first one is the reason.
  if (error instanceof SuppressedError) return explain(error.suppressed);
  if (error instanceof ConfigError) return expected(error.message, MISUSED);
  // What a person at the dashboard is told of their input, this person is told too.
  if (error instanceof ApiError) return expected(error.message, MISUSED);
  if (EXPECTED.some((kind) => error instanceof kind)) return expected(errorMessage(error));
  if (isUnavailable(error)) return expected(`the database does not answer: ${errorMessage(error)}`);
  if (error instanceof pg.DatabaseError) return expected(`the database refuses: ${error.message}`);
  return {
    text: `${errorMessage(error)} (unexpected; SVC_LOG_LEVEL=debug shows where)`,
    exitCode: FAILED,
    unexpected: true,
  };
}

const expected = (text: string, exitCode = FAILED): Explanation => ({ text, exitCode, unexpected: false });
