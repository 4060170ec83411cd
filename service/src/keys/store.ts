import type { ApiKey, KeyAccess, KeyMode } from '@svc/sdk';
import type pg from 'pg';
import type { ActorContext } from '../audit-log/actor.ts';
import { appendEvent, lockLogForKeys } from '../audit-log/append-event.ts';
import type { NewEvent } from '../audit-log/entry.ts';
import { newId } from '../config/ids.ts';
import { deriveKey, fingerprintOf } from '../config/secrets.ts';
import type { Shares } from '../database/lane.ts';
import { inTransaction } from '../database/pool.ts';
import { allocateTimestamps, timeOfMicros } from '../records/clock.ts';
import { newSalt, newToken, saltedHash, tokenHint, tokenIndex } from './token.ts';

/**
 * The life cycle of keys: create, rotate, revoke (specification, 5.6 to 5.8). Only the dashboard imports this file:
 * neither the API nor the command line can change a key.
 */

export interface NewKey {
  readonly name: string;
  readonly mode: KeyMode;
  readonly access: KeyAccess;
  readonly companyId: string | null;
}

/** The only place where a token is ever shown. */
interface IssuedKey {
  readonly key: ApiKey;
  readonly token: string;
}

/** A key that was asked for: `token` is null in the response to a repeat, which shows it no second time. */
interface CreatedKey {
  readonly key: ApiKey;
  readonly token: string | null;
}

/** Recognizes the repeats of a request, in the transaction that does its work. */
export interface Repeats {
  /** Id of what the first request created; undefined: this is the first. */
  find(client: pg.ClientBase): Promise<string | undefined>;
  keep(client: pg.ClientBase, id: string): Promise<void>;
}

/** Runs first in the transaction; throws when the person must not act any more. Default: no check. */
type Confirm = (client: pg.ClientBase) => Promise<unknown>;

export interface KeyStore {
  /** `no_company` when the workspace has no such company. */
  create(workspaceId: string, key: NewKey, by: ActorContext): Promise<IssuedKey | 'no_company'>;
  /** The same, once: a repeat creates nothing and returns the first key. */
  createOnce(
    workspaceId: string,
    key: NewKey,
    by: ActorContext,
    repeats: Repeats,
    confirm?: Confirm,
  ): Promise<CreatedKey | 'no_company'>;
  /** Replaces the token at once. */
  rotate(
    workspaceId: string,
    keyId: string,
    by: ActorContext,
    confirm?: Confirm,
  ): Promise<IssuedKey | 'not_found' | 'revoked'>;
  /** Revoking a revoked key changes nothing and is logged once. */
  revoke(
    workspaceId: string,
    keyId: string,
    by: ActorContext,
    confirm?: Confirm,
  ): Promise<ApiKey | 'not_found'>;
}

/** `changes`: connections by workspace, in which a change waits for its turn. */
export function createKeyStore(changes: Shares, secrets: readonly string[]): KeyStore {
  const [secret] = secrets;
  if (secret === undefined) throw new Error('A key store needs at least one secret.');
  const indexKey = deriveKey(secret, 'token index');
  const fingerprint = fingerprintOf(secret);
  /** A fresh token and what is stored of it. */
  const issue = (mode: KeyMode) => {
    const token = newToken(mode);
    const salt = newSalt();
    return {
      token,
      stored: [
        tokenHint(token),
        tokenIndex(token, indexKey),
        fingerprint,
        salt,
        saltedHash(token, salt),
      ] as const,
    };
  };
  const create = async (
    client: pg.ClientBase,
    workspaceId: string,
    key: NewKey,
    by: ActorContext,
  ): Promise<IssuedKey | 'no_company'> => {
    const { token, stored } = issue(key.mode);
    const id = newId('key');
    // Under the clock's lock no company goes away.
    const createdAt = timeOfMicros(await allocateTimestamps(client, workspaceId, 1));
    if (key.companyId !== null && !(await companyExists(client, workspaceId, key.companyId)))
      return 'no_company';
    await client.query(
      `insert into api_keys (workspace_id, id, name, mode, access, company_id, created_at, hint, token_index, secret_fingerprint,
         salt, salted_hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [workspaceId, id, key.name, key.mode, key.access, key.companyId, createdAt, ...stored],
    );
    const written = await readKey(client, workspaceId, id);
    await appendEvent(client, workspaceId, by, keyEvent('key.created', written));
    return { key: written, token };
  };

  return {
    create: (workspaceId, key, by) =>
      inTransaction(changes.of(workspaceId), (client) => create(client, workspaceId, key, by)),

    createOnce: (workspaceId, key, by, repeats, confirm) =>
      inTransaction(changes.of(workspaceId), async (client) => {
        await confirm?.(client);
        const known = await repeats.find(client);
        if (known !== undefined) return { key: await readKey(client, workspaceId, known), token: null };
        const created = await create(client, workspaceId, key, by);
        if (created !== 'no_company') await repeats.keep(client, created.key.id);
        return created;
      }),

    rotate: (workspaceId, keyId, by, confirm) =>
      inTransaction(changes.of(workspaceId), async (client) => {
        await confirm?.(client);
        const found = await lockKey(client, workspaceId, keyId);
        if (found === undefined) return 'not_found';
        if (found.revoked) return 'revoked';
        const { token, stored } = issue(found.mode);
        await client.query(
          `update api_keys set hint = $3, token_index = $4, secret_fingerprint = $5, salt = $6, salted_hash = $7, token_version = token_version + 1
           where workspace_id = $1 and id = $2`,
          [workspaceId, keyId, ...stored],
        );
        const key = await readKey(client, workspaceId, keyId);
        await appendEvent(client, workspaceId, by, keyEvent('key.rotated', key));
        return { key, token };
      }),

    revoke: (workspaceId, keyId, by, confirm) =>
      inTransaction(changes.of(workspaceId), async (client) => {
        await confirm?.(client);
        const found = await lockKey(client, workspaceId, keyId);
        if (found === undefined) return 'not_found';
        if (!found.revoked) {
          await client.query(
            'update api_keys set revoked_at = clock_timestamp() where workspace_id = $1 and id = $2',
            [workspaceId, keyId],
          );
        }
        const key = await readKey(client, workspaceId, keyId);
        if (!found.revoked) await appendEvent(client, workspaceId, by, keyEvent('key.revoked', key));
        return key;
      }),
  };
}

const keyEvent = (
  kind: 'key.created' | 'key.rotated' | 'key.revoked',
  { id, name, mode, access, companyId }: ApiKey,
): NewEvent => ({ kind, target: { id, label: name }, details: { mode, access, companyId } });

async function companyExists(
  client: pg.ClientBase,
  workspaceId: string,
  companyId: string,
): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from companies where workspace_id = $1 and id = $2', [
    workspaceId,
    companyId,
  ]);
  return rowCount === 1;
}

async function lockKey(client: pg.ClientBase, workspaceId: string, keyId: string) {
  await lockLogForKeys(client, workspaceId);
  const { rows } = await client.query<{ mode: KeyMode; revoked: boolean }>(
    'select mode, revoked_at is not null as revoked from api_keys where workspace_id = $1 and id = $2 for update',
    [workspaceId, keyId],
  );
  return rows[0];
}

async function readKey(client: pg.ClientBase, workspaceId: string, keyId: string): Promise<ApiKey> {
  const { rows } = await client.query<{ key: ApiKey }>(
    'select doc::json as key from api_key_records where workspace_id = $1 and id = $2',
    [workspaceId, keyId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A key that was just written is not there.');
  return row.key;
}
