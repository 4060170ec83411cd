/** Why the embedded PostgreSQL cannot be used. The message is for the operator: what failed, where, what to do. */
export class EmbeddedError extends Error {
  override readonly name: string = 'EmbeddedError';
}

/** Another service uses this data directory. `holder` is its name and process id. */
export class DataDirectoryInUseError extends EmbeddedError {
  override readonly name = 'DataDirectoryInUseError';
  readonly holder: string;

  constructor(dataDir: string, holder: string) {
    super(
      `the data directory ${dataDir} is in use by ${holder}. Only one service can use a data directory: ` +
        'stop that one first, or set another SVC_DATA_DIR.',
    );
    this.holder = holder;
  }
}

/** The `code` of an error of Node, of the operating system (`ENOENT`) or of PostgreSQL (an SQLSTATE). */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The message of whatever was thrown; a connection tried on several addresses has its message inside. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(errorMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}
