import type { SecretSealer } from '@svc/deployment-secrets/sealed';
import type { Queryable } from '@svc/turns/lane';
import { attemptsForEach } from '../database/errors.ts';
import { pagesOf } from '../database/pages.ts';
import { statement } from '../database/statement.ts';

const PAGE_ROWS = 500;

const selectSealed = statement(
  'endpoint_secrets_of_other_keys',
  'background: a job reads all endpoints, page by page',
)`
  select workspace_id, id, secret, previous_secret,
    deleted_at is null as used, coalesce(previous_until > now(), false) as "previousSigns"
  from webhook_endpoints
  where (workspace_id, id) > ($1, $2) and not (starts_with(secret, $3) and starts_with(coalesce(previous_secret, $3), $3))
  order by workspace_id, id limit $4`;
const updateSealed = statement('reseal_endpoint_secrets', 'request')`
  update webhook_endpoints set secret = $3, previous_secret = $4
  where workspace_id = $1 and id = $2 and secret = $5 and previous_secret is not distinct from $6`;

interface SealedRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  /** Whether the endpoint is not deleted. */
  readonly used: boolean;
  /** Whether the previous secret still signs, because it was replaced less than a day ago. */
  readonly previousSigns: boolean;
}

/** The endpoints with a secret that the first secret of the deployment has not sealed. */
async function* endpointsOfOtherKeys(
  connections: Queryable,
  sealer: SecretSealer,
): AsyncGenerator<SealedRow, void> {
  const pages = pagesOf<SealedRow>(PAGE_ROWS, (last) =>
    connections.query(selectSealed(last?.workspace_id ?? '', last?.id ?? '', sealer.prefix, PAGE_ROWS)),
  );
  for await (const rows of pages) yield* rows;
}

const contextOf = ({ workspace_id, id }: SealedRow) => ({ workspaceId: workspace_id, endpointId: id });

/**
 * Seals every secret again with the first secret of the deployment. Returns how many endpoints it changed. Skips those that
 * no secret opens. If it fails for one, it seals the others, and throws at the end.
 */
export async function resealEndpointSecrets(
  connections: Queryable,
  sealer: SecretSealer,
  signal?: AbortSignal,
): Promise<number> {
  const attempts = attemptsForEach();
  let resealed = 0;
  for await (const row of endpointsOfOtherKeys(connections, sealer)) {
    if (signal?.aborted === true) break;
    resealed += (await attempts.of(row.id, () => reseal(connections, sealer, row))) ?? 0;
  }
  attempts.end();
  return resealed;
}

async function reseal(connections: Queryable, sealer: SecretSealer, row: SealedRow): Promise<number> {
  const context = contextOf(row);
  const opened = sealer.open(row.secret, context);
  if (opened === undefined) return 0;
  // A previous secret that cannot be opened signs nothing any more.
  const previous = row.previous_secret === null ? undefined : sealer.open(row.previous_secret, context);
  const { rowCount } = await connections.query(
    updateSealed(
      row.workspace_id,
      row.id,
      sealer.seal(opened, context),
      previous === undefined ? null : sealer.seal(previous, context),
      row.secret,
      row.previous_secret,
    ),
  );
  return rowCount ?? 0;
}

/** Which endpoints depend on which of the deployment's secrets. */
export interface EndpointSecrets {
  /** Number of endpoints that need an older secret. */
  readonly old: number;
  /** The endpoints whose secret no secret of the deployment opens, as `id (workspace)`. They get no webhooks. */
  readonly lost: readonly string[];
}

/** Finds the endpoints that need an older secret or an unknown one. Changes nothing. */
export async function examineEndpointSecrets(
  connections: Queryable,
  sealer: SecretSealer,
): Promise<EndpointSecrets> {
  let old = 0;
  const lost: string[] = [];
  for await (const row of endpointsOfOtherKeys(connections, sealer)) {
    if (!row.used) continue;
    const context = contextOf(row);
    const needsOld = (sealed: string): boolean =>
      !sealed.startsWith(sealer.prefix) && sealer.open(sealed, context) !== undefined;
    const signing = [row.secret, ...(row.previousSigns ? [row.previous_secret ?? ''] : [])];
    if (sealer.open(row.secret, context) === undefined) lost.push(`${row.id} (${row.workspace_id})`);
    else if (signing.some(needsOld)) old++;
  }
  return { old, lost };
}
