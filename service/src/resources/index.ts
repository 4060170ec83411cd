import { apiKeys } from './api-keys.ts';
import { auditLog } from './audit-log.ts';
import { audits } from './audits.ts';
import { companies } from './companies.ts';
import { content } from './content.ts';
import type { Resource } from './define.ts';
import { mentions } from './mentions.ts';

/** Every resource of the service. A new one is a declaration, a migration, its wire type, and a line here. */
export const RESOURCES: readonly Resource[] = [audits, mentions, content, companies, apiKeys, auditLog];
