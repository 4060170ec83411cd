import type { ApiKey, KeyMode } from '@svc/sdk';
import type pg from 'pg';
import type { ActorContext } from '../audit-log/actor.ts';
import { appendEvent, lockLogForKeys } from '../audit-log/append-event.ts';
import type { NewEvent } from '../audit-log/entry.ts';
import { addWorkspaceEvent } from '../changes/events.ts';
import { lookUp } from '../database/look-up.ts';
import { statement } from '../database/statement.ts';
import { utc } from '../database/utc.ts';
import { API_KEY_RECORDS } from '../resources/views.ts';
import type { KeySettings } from './settings.ts';

/** The steps of a change of a key: it locks the key, changes it, logs the change and returns the key. */

export interface LockedKey {
  /** The row's place in the table. It stays until the transaction ends, because the row is locked. */
  readonly ctid: string;
  readonly mode: KeyMode;
  readonly token_index: Buffer;
  readonly revoked: boolean;
  readonly paused: boolean;
  readonly settings: KeySettings;
}

const LOCKED = `ctid::text as ctid, mode, token_index, revoked_at is not null as revoked, paused_at is not null as paused,
  json_build_object('name', name, 'expiresAt', ${utc('expires_at')}, 'allowedNetworks', allowed_networks,
    'burstLimit', burst_limit) as settings`;

const selectKeyForUpdate = statement('lock_key', 'request')`
  ${lookUp({ select: LOCKED, from: 'api_keys' })} for update`;

/** Locks the log of the workspace and a key. Undefined: there is none. */
export async function lockKey(
  client: pg.ClientBase,
  workspaceId: string,
  keyId: string,
): Promise<LockedKey | undefined> {
  await lockLogForKeys(client, workspaceId);
  const { rows } = await client.query<LockedKey>(selectKeyForUpdate(workspaceId, keyId));
  return rows[0];
}

const selectKey = statement('read_key', 'request')`
  ${lookUp({ select: 'doc::json as key', from: API_KEY_RECORDS })}`;

/** The key as the API shows it. Undefined: there is none. */
export async function findKey(
  client: pg.ClientBase,
  workspaceId: string,
  keyId: string,
): Promise<ApiKey | undefined> {
  const { rows } = await client.query<{ key: ApiKey }>(selectKey(workspaceId, keyId));
  return rows[0]?.key;
}

/** The same, of a key that must be there. */
export async function readKey(client: pg.ClientBase, workspaceId: string, keyId: string): Promise<ApiKey> {
  const key = await findKey(client, workspaceId, keyId);
  if (key === undefined) throw new Error('A key that was just written is not there.');
  return key;
}

const pauseKey = statement('pause_key', 'request')`
  update api_keys set paused_at = statement_timestamp() where workspace_id = $1 and id = $2 and ctid = $3`;
const resumeKey = statement('resume_key', 'request')`
  update api_keys set paused_at = null where workspace_id = $1 and id = $2 and ctid = $3`;

export async function setPaused(
  client: pg.ClientBase,
  workspaceId: string,
  keyId: string,
  ctid: string,
  paused: boolean,
): Promise<void> {
  await client.query((paused ? pauseKey : resumeKey)(workspaceId, keyId, ctid));
}

type KeyEvent = Extract<NewEvent, { readonly kind: `key.${string}` }>;
type OfKey = 'mode' | 'access' | 'companyId';
type Details<Event> = Event extends { readonly details: infer D } ? Omit<D, OfKey> : never;

/** What a change adds to its entry: the settings of a new key, or what has changed. */
type Change = KeyEvent extends infer Event
  ? Event extends { readonly kind: infer Kind; readonly changes: infer Changes }
    ? { readonly kind: Kind; readonly changes: Changes }
    : Event extends { readonly kind: infer Kind }
      ? keyof Details<Event> extends never
        ? { readonly kind: Kind }
        : { readonly kind: Kind; readonly details: Details<Event> }
      : never
  : never;

/** Appends the audit entry of a change, and adds its event. Returns the key after the change. */
export async function logKeyEvent(
  client: pg.ClientBase,
  workspaceId: string,
  keyId: string,
  by: ActorContext,
  change: Change,
): Promise<ApiKey> {
  const key = await readKey(client, workspaceId, keyId);
  const { id, name, mode, access, companyId } = key;
  const target = { id, label: name };
  const of = { mode, access, companyId };
  await appendEvent(
    client,
    workspaceId,
    by,
    change.kind === 'key.changed'
      ? { ...change, target }
      : change.kind === 'key.created'
        ? { kind: change.kind, target, details: { ...of, ...change.details } }
        : { kind: change.kind, target, details: of },
  );
  await addWorkspaceEvent(client, workspaceId, { type: change.kind, recordId: id, companyId, record: key });
  return key;
}
