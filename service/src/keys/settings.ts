import type { AuditLogChange } from '@svc/sdk';
import type pg from 'pg';
import { statement } from '../database/statement.ts';

/** What a person can change of a key. */
export interface KeySettings {
  readonly name: string;
  /** From this time on, the key is refused. Null: it does not expire. */
  readonly expiresAt: string | null;
  /** CIDR ranges in canonical form. Null: any address. */
  readonly allowedNetworks: readonly string[] | null;
  /** Requests per second. The limit of the workspace applies too. Null: only that. */
  readonly burstLimit: number | null;
}

/** The settings of a key that sets none. */
export const NO_SETTINGS = { expiresAt: null, allowedNetworks: null, burstLimit: null } as const;

/** The settings as the audit log shows them, without the name. */
export const shownSettings = ({ expiresAt, allowedNetworks, burstLimit }: Omit<KeySettings, 'name'>) => ({
  expiresAt,
  allowedNetworks: allowedNetworks?.join(', ') ?? null,
  burstLimit,
});

const FIELDS = ['name', 'expiresAt', 'allowedNetworks', 'burstLimit'] as const;

/** The settings that differ. */
export function changesOf(
  before: KeySettings,
  after: KeySettings,
): readonly (Required<AuditLogChange> & { readonly field: (typeof FIELDS)[number] })[] {
  const [from, to] = [before, after].map((settings) => ({ name: settings.name, ...shownSettings(settings) }));
  if (from === undefined || to === undefined) return [];
  return FIELDS.filter((field) => !isSame(field, from[field], to[field])).map((field) => ({
    field,
    before: from[field],
    after: to[field],
  }));
}

/** The same time can be written with and without a fraction. */
const isSame = (field: string, before: string | number | null, after: string | number | null): boolean =>
  before === after || (field === 'expiresAt' && Date.parse(String(before)) === Date.parse(String(after)));

const updateSettings = statement('change_key', 'request')`
  update api_keys set name = $4, expires_at = $5, allowed_networks = $6, burst_limit = $7
  where workspace_id = $1 and id = $2 and ctid = $3`;

/** `ctid`: of the row, which must be locked. */
export async function writeSettings(
  client: pg.ClientBase,
  workspaceId: string,
  keyId: string,
  ctid: string,
  { name, expiresAt, allowedNetworks, burstLimit }: KeySettings,
): Promise<void> {
  await client.query(updateSettings(workspaceId, keyId, ctid, name, expiresAt, allowedNetworks, burstLimit));
}
