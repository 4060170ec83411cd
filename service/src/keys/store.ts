import { deriveKey, fingerprintOf } from '@svc/deployment-secrets';
import { timeOfMicros } from '@svc/exact-times/micros';
import type { ApiKey, KeyAccess, KeyMode } from '@svc/sdk';
import type { Shares } from '@svc/turns/lane';
import type pg from 'pg';
import type { ActorContext } from '../audit-log/actor.ts';
import { allocateTimestamps } from '../changes/clock.ts';
import { newId } from '../config/ids.ts';
import { lookUp } from '../database/look-up.ts';
import { inTransaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { noteKeyWorkspace } from './key-workspaces.ts';
import { findKey, type LockedKey, lockKey, logKeyEvent, readKey, setPaused } from './locked-key.ts';
import { changesOf, type KeySettings, NO_SETTINGS, shownSettings, writeSettings } from './settings.ts';
import { newSalt, newToken, saltedHash, tokenHint, tokenIndex } from './token.ts';

/**
 * The life cycle of keys: create, change, pause, rotate, revoke (specification, 5.6 to 5.8). Only the dashboard imports this
 * file: neither the API nor the command line can change a key.
 */

export interface NewKey extends Partial<KeySettings> {
  readonly name: string;
  readonly mode: KeyMode;
  readonly access: KeyAccess;
  readonly companyId: string | null;
  /** Id of the key that it replaces. The replaced key stays as it is. */
  readonly replaces?: string | null;
}

/** A key with its token. No other response shows the token. */
interface IssuedKey {
  readonly key: ApiKey;
  readonly token: string;
}

/** A key that a request creates. Null token: the request is a repeat, and the first response has shown the token. */
interface CreatedKey {
  readonly key: ApiKey;
  readonly token: string | null;
}

/** Recognizes the repeats of a request, in the transaction that does its work. */
export interface Repeats {
  /** The id of what the first request created. Undefined: this is the first. */
  find(client: pg.ClientBase): Promise<string | undefined>;
  keep(client: pg.ClientBase, id: string): Promise<void>;
}

/** Runs first in the transaction. Throws if the person is no longer allowed to make the change. Default: no check. */
type Confirm = (client: pg.ClientBase) => Promise<unknown>;

export interface KeyStore {
  /** Creates a key. Returns `no_company` if the workspace has no such company. */
  create(workspaceId: string, key: NewKey, by: ActorContext): Promise<IssuedKey | 'no_company'>;
  /**
   * Creates a key once. A repeat creates nothing and returns the key of the first request. Returns `no_replaced_key` if the
   * workspace has no key that the new one can replace.
   */
  createOnce(
    workspaceId: string,
    key: NewKey,
    by: ActorContext,
    repeats: Repeats,
    confirm?: Confirm,
  ): Promise<CreatedKey | 'no_company' | 'no_replaced_key'>;
  /** Replaces the token at once. */
  rotate(
    workspaceId: string,
    keyId: string,
    by: ActorContext,
    confirm?: Confirm,
  ): Promise<IssuedKey | 'not_found' | 'revoked'>;
  /** Changes settings of a key. Those that are left out stay. */
  change(
    workspaceId: string,
    keyId: string,
    settings: Partial<KeySettings>,
    by: ActorContext,
    confirm?: Confirm,
  ): Promise<ApiKey | 'not_found' | 'revoked'>;
  /** Pauses or resumes a key. A key that is paused already, or not paused, stays as it is, without another audit entry. */
  setPaused(
    workspaceId: string,
    keyId: string,
    paused: boolean,
    by: ActorContext,
    confirm?: Confirm,
  ): Promise<ApiKey | 'not_found' | 'revoked'>;
  /** Revokes a key. A key that is revoked already stays as it is, without another audit entry. */
  revoke(
    workspaceId: string,
    keyId: string,
    by: ActorContext,
    confirm?: Confirm,
  ): Promise<ApiKey | 'not_found'>;
}

const insertKey = statement('insert_key', 'request')`
  insert into api_keys (workspace_id, id, name, mode, access, company_id, created_at, hint, token_index, secret_fingerprint,
    salt, salted_hash, expires_at, allowed_networks, burst_limit, created_by)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::timestamptz, $14::text[], $15::integer, $16
  where $6::text is null or (${lookUp({ select: 'true', from: 'companies', key: '$6' })})`;
const rotateKey = statement('rotate_key', 'request')`
  update api_keys set hint = $3, token_index = $4, secret_fingerprint = $5, salt = $6, salted_hash = $7, token_version = token_version + 1
  where workspace_id = $1 and id = $2 and ctid = $8`;
const revokeKey = statement('revoke_key', 'request')`
  update api_keys set revoked_at = statement_timestamp() where workspace_id = $1 and id = $2 and ctid = $3`;

/** `changes`: connections by workspace. A change waits there for its turn. */
export function createKeyStore(changes: Shares, secrets: readonly string[]): KeyStore {
  const [secret] = secrets;
  if (secret === undefined) throw new Error('A key store needs at least one secret.');
  const indexKey = deriveKey(secret, 'token index');
  const fingerprint = fingerprintOf(secret);

  /** Makes a new token, and the values that are stored of it. */
  const issue = (mode: KeyMode) => {
    const token = newToken(mode);
    const salt = newSalt();
    const hash = saltedHash(token, salt);
    const index = tokenIndex(token, indexKey);
    return { token, index, stored: [tokenHint(token), index, fingerprint, salt, hash] };
  };
  /** `keep` runs before the entry, which locks the log, because it may wait for a change of the person. */
  const create = async (
    client: pg.ClientBase,
    workspaceId: string,
    key: NewKey,
    by: ActorContext,
    keep?: (id: string) => Promise<void>,
  ): Promise<IssuedKey | 'no_company'> => {
    const { token, index, stored } = issue(key.mode);
    const id = newId('key');
    // While this transaction locks the clock, no company is deleted.
    const createdAt = timeOfMicros(await allocateTimestamps(client, workspaceId, 1));
    const settings = { ...NO_SETTINGS, ...key };
    const {
      name,
      mode,
      access,
      companyId,
      expiresAt,
      allowedNetworks,
      burstLimit,
      replaces = null,
    } = settings;
    const { rowCount } = await client.query(
      insertKey(
        ...[workspaceId, id, name, mode, access, companyId, createdAt, ...stored],
        ...[expiresAt, allowedNetworks, burstLimit, by.actor],
      ),
    );
    if (rowCount === 0) return 'no_company';
    await keep?.(id);
    const details = { ...shownSettings(settings), replaces };
    const created = await logKeyEvent(client, workspaceId, id, by, { kind: 'key.created', details });
    await noteKeyWorkspace(client, workspaceId, index);
    return { key: created, token };
  };
  /** Runs a change of a key in a transaction that locks the key. */
  const change = <T>(
    workspaceId: string,
    keyId: string,
    confirm: Confirm | undefined,
    work: (client: pg.ClientBase, found: LockedKey) => Promise<T>,
  ): Promise<T | 'not_found'> =>
    inTransaction(changes.of(workspaceId), async (client) => {
      await confirm?.(client);
      const found = await lockKey(client, workspaceId, keyId);
      return found === undefined ? 'not_found' : work(client, found);
    });

  return {
    create: (workspaceId, key, by) =>
      inTransaction(changes.of(workspaceId), (client) => create(client, workspaceId, key, by)),

    createOnce: (workspaceId, key, by, repeats, confirm) =>
      inTransaction(changes.of(workspaceId), async (client) => {
        await confirm?.(client);
        const known = await repeats.find(client);
        if (known !== undefined) return { key: await readKey(client, workspaceId, known), token: null };
        const { replaces = null } = key;
        if (replaces !== null && (await findKey(client, workspaceId, replaces)) === undefined)
          return 'no_replaced_key';
        return create(client, workspaceId, key, by, (id) => repeats.keep(client, id));
      }),

    rotate: (workspaceId, keyId, by, confirm) =>
      change(workspaceId, keyId, confirm, async (client, found) => {
        if (found.revoked) return 'revoked';
        const { token, index, stored } = issue(found.mode);
        await client.query(rotateKey(workspaceId, keyId, ...stored, found.ctid));
        const key = await logKeyEvent(client, workspaceId, keyId, by, { kind: 'key.rotated' });
        await noteKeyWorkspace(client, workspaceId, index, found.token_index);
        return { key, token };
      }),

    revoke: (workspaceId, keyId, by, confirm) =>
      change(workspaceId, keyId, confirm, async (client, found) => {
        if (found.revoked) return readKey(client, workspaceId, keyId);
        await client.query(revokeKey(workspaceId, keyId, found.ctid));
        return logKeyEvent(client, workspaceId, keyId, by, { kind: 'key.revoked' });
      }),

    change: (workspaceId, keyId, settings, by, confirm) =>
      change(workspaceId, keyId, confirm, async (client, found) => {
        if (found.revoked) return 'revoked';
        const after = { ...found.settings, ...settings };
        const changes = changesOf(found.settings, after);
        if (changes.length === 0) return readKey(client, workspaceId, keyId);
        await writeSettings(client, workspaceId, keyId, found.ctid, after);
        return logKeyEvent(client, workspaceId, keyId, by, { kind: 'key.changed', changes });
      }),

    setPaused: (workspaceId, keyId, paused, by, confirm) =>
      change(workspaceId, keyId, confirm, async (client, found) => {
        if (found.revoked) return 'revoked';
        if (found.paused === paused) return readKey(client, workspaceId, keyId);
        await setPaused(client, workspaceId, keyId, found.ctid, paused);
        const kind = paused ? 'key.paused' : 'key.resumed';
        return logKeyEvent(client, workspaceId, keyId, by, { kind });
      }),
  };
}
