import type { Me } from '@svc/sdk';
import { ME, ME_PATH } from '@svc/sdk/contract';
import type { Queryable, Shares } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../config/time.ts';
import { preparedStatement } from '../database/statement.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import type { Scope } from '../list/read.ts';
import { readRecord } from '../records/read.ts';
import type { Resource } from '../resources/define.ts';
import { apiKeys, companies } from '../resources/index.ts';
import { invalidKey } from './authentication.ts';
import { allowParameters, requireKey } from './guards.ts';
import { monthStartMs, type QuotaGate, remainingOf } from './limits.ts';

interface MeOptions {
  readonly reads: Shares;
  readonly quotaGate: Pick<QuotaGate, 'read'>;
  readonly clock: Clock;
}

const selectWorkspace = preparedStatement('workspace_of_key', 'request')`
  select id, name from workspaces where id = $1`;

/** `GET /v1/me`: the key of the request, and what limits it. Every key may send it. */
export function registerMe(v1: FastifyInstance, { reads, quotaGate, clock }: MeOptions): void {
  v1.get(ME_PATH.replace('/v1', ''), async (request): Promise<Me> => {
    const caller = requireKey(request);
    allowParameters(request.query, []);
    const { workspaceId, keyId, companyId, burstLimit } = caller;
    const connections = reads.of(workspaceId);
    const [key, company, { rows }, quota] = await Promise.all([
      read<Me['key']>(connections, apiKeys, caller, keyId),
      companyId === null ? null : read<NonNullable<Me['company']>>(connections, companies, caller, companyId),
      connections.query<Me['workspace']>(selectWorkspace(workspaceId)),
      // It shows the traffic of the whole workspace, so a key that is limited to a company does not see it.
      companyId === null ? quotaGate.read(workspaceId) : null,
    ]);
    const [workspace] = rows;
    if (key === undefined || company === undefined || workspace === undefined) throw invalidKey(true);
    return {
      key: pick(ME.key.fields, key),
      company: company && pick(ME.company.fields, company),
      workspace,
      limits: { burst: burstLimit },
      quota: quota && {
        ...quota,
        remaining: remainingOf(quota),
        resetsAt: new Date(monthStartMs(clock(), 1)).toISOString(),
      },
    };
  });
}

async function read<T>(
  connections: Queryable,
  resource: Resource,
  scope: Scope & Pick<AuthenticatedKey, 'keyId'>,
  id: string,
): Promise<T | undefined> {
  const record = await readRecord(connections, resource, scope, id);
  return record && (JSON.parse(record.doc) as T);
}

/** The values of these fields. */
const pick = <T extends object>(fields: Readonly<Record<keyof T, unknown>>, record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name in fields)) as T;
