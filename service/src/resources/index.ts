import { CONTRACT, type Contract } from '@svc/sdk/contract';
import { type Resource, resourceOf } from './define.ts';

/** The table or view that a list reads, for resources whose name is not that of their table. */
const RELATIONS: Readonly<Partial<Record<string, string>>> = {
  apiKeys: 'api_key_records',
  auditLog: 'audit_log_entries',
} satisfies Partial<Record<keyof Contract, string>>;

const resources = Object.fromEntries(
  Object.entries(CONTRACT).map(([key, contract]) => [key, resourceOf(contract, RELATIONS[key])]),
) as Readonly<Record<keyof Contract, Resource>>;

/** Every resource of the contract, in its order. */
export const RESOURCES: readonly Resource[] = Object.values(resources);

export const { audits, mentions, content, companies, apiKeys, auditLog } = resources;
