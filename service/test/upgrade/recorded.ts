/** What the deployment that is recorded was made with. It is gone, and these open nothing. */
export const RECORDED_SECRET = 'the secret of a release that was recorded';
export const RECORDED_EMAIL = 'owner@example.com';
export const RECORDED_PASSWORD = 'the password of a release';

/** A row as JSON, by its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The first two pages of a list, as a release has answered them. */
export interface RecordedPages {
  readonly path: string;
  readonly first: readonly unknown[];
  /** To the next page; missing when there is none. */
  readonly cursor?: string;
  readonly next?: readonly unknown[];
}

/** A token in two parts: the repository holds no text that looks like a key. */
export interface RecordedKey {
  readonly mode: string;
  readonly secret: string;
}

/** What a release has kept in its database and answered; `record.ts` makes it. */
export interface Recorded {
  /** Milliseconds since 1970. */
  readonly recordedAt: number;
  readonly workspaceId: string;
  /** The cookies of a person who is signed in. */
  readonly session: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<'live' | 'write' | 'test' | 'limited' | 'revoked', RecordedKey>>;
  readonly totpUri: string;
  readonly backupCodes: readonly string[];
  readonly pages: readonly RecordedPages[];
  /** Every row, the tables in an order in which they can be filled. */
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}
