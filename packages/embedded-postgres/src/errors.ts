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

/** Whether this is an error of Node, of the operating system or of PostgreSQL (SQLSTATE) with one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.some((code) => code === error.code);

/** The message of a thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
