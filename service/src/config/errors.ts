/** An expected failure, with a message for the operator: what failed, where, and what to do. Shown without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** The `code` of an error of Node, the operating system (`ENOENT`) or PostgreSQL (an SQLSTATE). Undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The message of a thrown value. A failed connection to a name with several addresses has one message per address. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(errorMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}
