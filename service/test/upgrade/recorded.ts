/** The secrets of the recorded deployment. It no longer exists, so they are useless. */
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
  /** The `startCursor` of the next page. */
  readonly back?: string;
}

/** A token in two parts: the repository holds no text that looks like a key. */
export interface RecordedKey {
  readonly mode: string;
  readonly secret: string;
}

type KeyName = 'live' | 'write' | 'test' | 'limited' | 'limitedWrite' | 'rotated' | 'replaced' | 'revoked';

/** A write with an Idempotency-Key, and its answer. */
export interface RecordedWrite {
  readonly path: string;
  readonly key: KeyName;
  readonly idempotencyKey: string;
  readonly body: unknown;
  readonly status: number;
  readonly text: string;
}

/** What a release has answered. */
export interface Recorded {
  /** Milliseconds since 1970. */
  readonly recordedAt: number;
  readonly workspaceId: string;
  /** The cookies of a person who is signed in. */
  readonly session: Readonly<Record<string, string>>;
  /** `replaced` is what `rotated` was before. The recording in this folder has no rotated keys. */
  readonly keys: Readonly<Partial<Record<KeyName, RecordedKey>>>;
  readonly totpUri: string;
  readonly backupCodes: readonly string[];
  readonly pages: readonly RecordedPages[];
}

/** A workspace as its key has found it. */
export interface RecordedWorkspace {
  readonly key: RecordedKey;
  readonly audits: number;
  readonly pages: RecordedPages;
}

/** What ends a day or a week later, by the database's clock: not in the recording in this folder. */
export interface RecordedNow extends Recorded {
  readonly writes: readonly RecordedWrite[];
  /** An open invitation: the token of its link, and whom it invites. */
  readonly invitation: { readonly token: string; readonly email: string };
  /** How many audits the workspace has. */
  readonly audits: number;
  /** Further workspaces of the same owner, each with a live key that may write. */
  readonly others: readonly RecordedWorkspace[];
}

/** A recording with every row of the database; `record.ts` makes it. */
export interface RecordedDatabase extends Recorded {
  /** The tables in an order in which they can be filled. */
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

export const tokenOf = ({ keys }: Pick<Recorded, 'keys'>, name: KeyName): string => {
  const key = keys[name];
  if (key === undefined) throw new Error(`no key "${name}" was recorded`);
  return joinToken(key);
};

export const joinToken = ({ mode, secret }: RecordedKey): string => `svc_${mode}_${secret}`;
