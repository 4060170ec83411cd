import { hash } from 'node:crypto';
import { deriveKey, fingerprintOf } from '@svc/deployment-secrets';
import { withinAny } from '@svc/ip-addresses';
import type { KeyAccess, KeyMode } from '@svc/sdk';
import type { Shares } from '@svc/turns/lane';
import type { KeyValidity } from '../audit-log/audited-request.ts';
import { KEY_IS_VALID, workspaceIsOpen } from '../audit-log/valid-key.ts';
import { KEY_CACHE_MAX_KEYS, KEY_CACHE_SECONDS } from '../config/limits.ts';
import type { Clock } from '../config/time.ts';
import type { Lanes } from '../database/lanes.ts';
import { lookUp } from '../database/look-up.ts';
import { inTransaction } from '../database/pool.ts';
import { preparedStatement, statement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import { noteKeyWorkspace, workspaceOfKey } from './key-workspaces.ts';
import { matchesHash, newSalt, saltedHash, tokenIndex } from './token.ts';

/** The identity and the limits of a request (specification, section 5). */
export interface AuthenticatedKey {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly mode: KeyMode;
  readonly access: KeyAccess;
  readonly companyId: string | null;
  /** The statement that writes the audit entry confirms it; see docs/decisions/0002. */
  readonly tokenVersion: number;
  /** Undefined: each audit entry has the database check the key. */
  readonly validity?: KeyValidity;
  /** Requests per second. Null: no limit. */
  readonly burstLimit: number | null;
  /** Whether the key may be used from an address. Null: from any. */
  readonly allowsAddress: ((address: string) => boolean) | null;
}

/** A key that is valid now. The rest is that of an authenticated key, but not remembered. */
export interface ConfirmedKey extends Pick<AuthenticatedKey, 'allowsAddress'> {
  /** How long it stays valid. Null: it does not expire. */
  readonly expiresInMs: number | null;
  readonly validity: KeyValidity;
}

interface RememberedKey {
  /** The key was valid when this process last asked the database. It may be revoked by now. */
  readonly key: AuthenticatedKey;
  /** Whether the key may be used without asking the database again. */
  readonly isCurrent: boolean;
}

export interface Authenticator {
  /** The key that this process remembers for a token. Undefined: it remembers none. */
  remembered(token: string): RememberedKey | undefined;
  /** Asks the database for the key of a well-formed token, and remembers it. Undefined: it is unknown or not valid. */
  lookUp(token: string): Promise<AuthenticatedKey | undefined>;
  /** Asks the database whether a key is still valid, with the same token. Undefined: it is not. */
  confirm(key: AuthenticatedKey): Promise<ConfirmedKey | undefined>;
  /** Forgets a key that the database has refused. */
  forget(token: string): void;
  /** Lets the next use of a token ask the database. Memory still shows that the token was valid. */
  readAgain(token: string): void;
}

interface KeyRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly mode: KeyMode;
  readonly access: KeyAccess;
  readonly company_id: string | null;
  readonly token_version: number;
  readonly token_index: Buffer;
  readonly secret_fingerprint: string | null;
  readonly salt: Buffer;
  readonly salted_hash: Buffer;
  readonly valid: boolean;
  readonly keys_version: number;
  readonly expires_at: string | null;
  readonly burst_limit: number | null;
  readonly allowed_networks: readonly string[] | null;
}

interface ConfirmedRow extends Pick<KeyRow, 'allowed_networks' | 'keys_version' | 'expires_at'> {
  readonly expires_in_ms: number | null;
}

const validityOf = ({
  keys_version,
  expires_at,
}: Pick<KeyRow, 'keys_version' | 'expires_at'>): KeyValidity => ({
  keysVersion: keys_version,
  expiresAt: expires_at,
});

const allowsAddress = ({ allowed_networks }: Pick<KeyRow, 'allowed_networks'>) =>
  allowed_networks && withinAny(allowed_networks);

/** Used if no row is found, so that an unknown token takes the same time as a revoked one. */
const NO_SALT = newSalt();
const NO_HASH = saltedHash('', NO_SALT);

/**
 * The name of a token in memory: a hash, so that memory holds no token after its request. The hash needs no secret, and its
 * comparison no constant time. A token has 192 random bits, so nobody can find it by its hash, and the hash does not
 * authenticate.
 */
const nameOf = (token: string): string => hash('sha256', token, 'base64url');

/**
 * Finds keys by the blind index of their token: first the workspace, then the key in it. Live keys are remembered for
 * KEY_CACHE_SECONDS. A revoked key is refused nevertheless, because the audit entry of a live request is written only if
 * the key is still valid. Test keys have no audit entries, so the database is asked for them each time. A remembered key
 * whose time is over still shows that its token was valid.
 */
export function createAuthenticator(
  lanes: Pick<Lanes, 'reads' | 'writes'>,
  secrets: readonly string[],
  clock: Clock,
  onMoveFailed: (error: unknown) => void,
): Authenticator {
  const indexKeys = secrets.map((secret) => deriveKey(secret, 'token index'));
  const [issuingSecret] = secrets;
  if (issuingSecret === undefined) throw new Error('An authenticator needs at least one secret.');
  const fingerprint = fingerprintOf(issuingSecret);
  const cache = new Map<string, { readonly key: AuthenticatedKey; readonly untilMs: number }>();
  /** The ids of the keys that are being moved. */
  const moving = new Set<string>();

  /** A request does not wait for this: while all connections for writes are taken, a read would be refused. */
  const moveToIndex = (row: KeyRow, index: Buffer): void => {
    if (moving.has(row.id)) return;
    moving.add(row.id);
    reindex(lanes.writes, row, index, fingerprint)
      .catch(onMoveFailed)
      .finally(() => moving.delete(row.id));
  };

  const remember = (token: string, key: AuthenticatedKey): void => {
    // A Map keeps the order of insertion: deleting the key first makes it the newest.
    cache.delete(nameOf(token));
    const [oldest] = cache.keys();
    if (cache.size >= KEY_CACHE_MAX_KEYS && oldest !== undefined) cache.delete(oldest);
    const untilMs = key.mode === 'live' ? clock() + KEY_CACHE_SECONDS * 1000 : 0;
    cache.set(nameOf(token), { key, untilMs });
  };

  return {
    remembered(token) {
      const entry = cache.get(nameOf(token));
      if (entry === undefined) return undefined;
      // More time is left than a key gets if the clock was set back.
      const leftMs = entry.untilMs - clock();
      return { key: entry.key, isCurrent: leftMs > 0 && leftMs <= KEY_CACHE_SECONDS * 1000 };
    },
    forget(token) {
      cache.delete(nameOf(token));
    },
    readAgain(token) {
      const entry = cache.get(nameOf(token));
      if (entry !== undefined) cache.set(nameOf(token), { ...entry, untilMs: 0 });
    },
    async confirm({ workspaceId, keyId, tokenVersion }) {
      const confirmed = confirmKey(workspaceId, keyId, tokenVersion);
      const { rows } = await lanes.reads.of(workspaceId).query<ConfirmedRow>(confirmed);
      const [row] = rows;
      if (row === undefined) return undefined;
      return { expiresInMs: row.expires_in_ms, allowsAddress: allowsAddress(row), validity: validityOf(row) };
    },
    async lookUp(token) {
      const indexes = indexKeys.map((key) => tokenIndex(token, key));
      const known = cache.get(nameOf(token))?.key.workspaceId;
      const row = await findRow(lanes.reads, known ?? (await workspaceOfKey(lanes.reads, indexes)), indexes);
      const matches = matchesHash(token, row?.salt ?? NO_SALT, row?.salted_hash ?? NO_HASH);
      if (row === undefined || !matches || !row.valid) {
        this.forget(token);
        return undefined;
      }
      const [index] = indexes;
      if (index !== undefined && !(row.token_index.equals(index) && row.secret_fingerprint === fingerprint))
        moveToIndex(row, index);
      const key: AuthenticatedKey = {
        workspaceId: row.workspace_id,
        keyId: row.id,
        mode: row.mode,
        access: row.access,
        companyId: row.company_id,
        tokenVersion: row.token_version,
        validity: validityOf(row),
        burstLimit: row.burst_limit,
        allowsAddress: allowsAddress(row),
      };
      remember(token, key);
      return key;
    },
  };
}

const KEYS_VERSION = '(select keys_version from live_meters where workspace_id = $1) as keys_version';

const findKey = preparedStatement('find_key', 'request')`
  select k.workspace_id, k.id, k.mode, k.access, k.company_id, k.token_version, k.token_index,
    k.secret_fingerprint, k.salt, k.salted_hash, ${KEY_IS_VALID} and ${workspaceIsOpen('$1')} as valid,
    ${KEYS_VERSION}, ${utc('k.expires_at')} as expires_at,
    k.allowed_networks, least(k.burst_limit, (select burst_limit from workspaces where id = $1)) as burst_limit
  from unnest($2::bytea[]) as wanted (token_index) cross join lateral (
    ${lookUp({ select: '*', from: 'api_keys', column: 'token_index', key: 'wanted.token_index' })}) k`;

/** Rounded up: at the end of this time, the key has expired. */
const EXPIRES_IN = 'ceil(extract(epoch from expires_at - statement_timestamp()) * 1000)::float8';

const CONFIRMED = `${EXPIRES_IN} as expires_in_ms, ${utc('expires_at')} as expires_at, ${KEYS_VERSION}, allowed_networks`;

const confirmKey = preparedStatement('confirm_key', 'request')`
  ${lookUp({ select: CONFIRMED, from: 'api_keys', and: `token_version = $3 and ${KEY_IS_VALID} and ${workspaceIsOpen('$1')}` })}`;

/** Without a workspace, it asks for nothing, so that an unknown token takes the same time as a revoked one. */
async function findRow(
  reads: Shares,
  workspaceId: string | undefined,
  indexes: readonly Buffer[],
): Promise<KeyRow | undefined> {
  const share = reads.of(workspaceId ?? `key ${indexes[0]?.toString('base64')}`);
  return (await share.query<KeyRow>(findKey(workspaceId ?? '', indexes))).rows[0];
}

const updateIndex = statement('reindex_key', 'request')`
  update api_keys set token_index = $3, secret_fingerprint = $5
  where workspace_id = $1 and ctid = (${lookUp({ select: 'ctid', from: 'api_keys' })}) and token_index = $4`;

/**
 * After a rotation of the deployment's secrets, the first use of a key moves the key to the issuing secret. It changes
 * nothing if another transaction changes the key at the same time; then a later use moves it.
 */
async function reindex(writes: Shares, row: KeyRow, index: Buffer, fingerprint: string): Promise<void> {
  const { workspace_id: workspaceId, id, token_index: replaced } = row;
  await inTransaction(writes.of(workspaceId), async (client) => {
    const { rowCount } = await client.query(updateIndex(workspaceId, id, index, replaced, fingerprint));
    if (rowCount === 1) await noteKeyWorkspace(client, workspaceId, index, replaced);
  });
}
