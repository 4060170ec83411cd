import { CopyError } from '@svc/database-copy';
import { EmbeddedError } from '@svc/embedded-postgres';
import { explainRefusal, PoolerError, UnsuitableDatabaseError } from '@svc/postgres-sessions';
import { BulkError } from '@svc/service/bulk/target';
import { ConfigError } from '@svc/service/config/config';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { isUnavailable } from '@svc/service/database/errors';
import { MigrationError } from '@svc/service/database/migrate';
import { ApiError } from '@svc/service/http/errors';
import pg from 'pg';
import { MisuseError } from './misuse-error.ts';

/** A failure as text for the operator, with the exit code of the command. */
export interface Explanation {
  readonly text: string;
  readonly exitCode: number;
  /** Whether it is a fault of this program, so that its stack is useful. */
  readonly unexpected: boolean;
}

/** Errors whose messages are written for the operator. */
const EXPECTED = [
  PoolerError,
  OperatorError,
  BulkError,
  CopyError,
  EmbeddedError,
  MigrationError,
  UnsuitableDatabaseError,
];

/** Errors about settings, arguments or input. Their messages name what is wrong. */
const WRONG_INPUT = [ConfigError, MisuseError, ApiError];

const FAILED = 1;
/** Wrong settings or arguments. 2 is usual for command lines. */
export const MISUSED = 2;

/** Explains a thrown value. An error that no rule expects is `unexpected`. */
export function explain(error: unknown): Explanation {
  // The clean-up after an error failed too. The first error is the reason.
  if (error instanceof SuppressedError) return explain(error.suppressed);
  if (WRONG_INPUT.some((kind) => error instanceof kind)) return expected(errorMessage(error), MISUSED);
  if (EXPECTED.some((kind) => error instanceof kind)) return expected(errorMessage(error));
  const refusal = explainRefusal(error);
  if (refusal !== undefined) return expected(refusal);
  if (isUnavailable(error)) return expected(`the database does not answer: ${errorMessage(error)}`);
  if (error instanceof pg.DatabaseError)
    return expected(`the database refused a statement: ${error.message}`);
  return {
    text: `${errorMessage(error)} (unexpected; set SVC_LOG_LEVEL=debug to see where)`,
    exitCode: FAILED,
    unexpected: true,
  };
}

const expected = (text: string, exitCode = FAILED): Explanation => ({ text, exitCode, unexpected: false });
