import { CONTRACT, type Contract } from '@svc/sdk/contract';
import { readChangePage } from '../changes/list.ts';
import { type ListView, type Resource, resourceOf } from './define.ts';
import { API_KEY_RECORDS, AUDIT_LOG_ENTRIES } from './views.ts';

/** The views that lists read. */
const VIEWS: Readonly<Partial<Record<string, ListView>>> = {
  apiKeys: { relation: 'api_key_records', source: API_KEY_RECORDS },
  auditLog: { relation: 'audit_log_entries', source: AUDIT_LOG_ENTRIES, indexed: ['kind'] },
  changes: { relation: 'changes', indexed: [], read: readChangePage },
} satisfies Partial<Record<keyof Contract, ListView>>;

const resources = Object.fromEntries(
  Object.entries(CONTRACT).map(([key, contract]) => [key, resourceOf(contract, VIEWS[key])]),
) as Readonly<Record<keyof Contract, Resource>>;

/** Every resource of the contract, in its order. */
export const RESOURCES: readonly Resource[] = Object.values(resources);

/** Those whose records clients write. */
export const RECORD_RESOURCES: readonly Resource[] = RESOURCES.filter(({ writable }) => writable);

export const { audits, mentions, content, companies, apiKeys, auditLog, changes } = resources;
