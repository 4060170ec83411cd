import { ACCOUNT_CHANGES } from './account-changes.ts';
import type { Prepare } from './change.ts';
import { KEY_CHANGES } from './key-changes.ts';
import { OPENID_CHANGES } from './openid-changes.ts';
import { RECORD_CHANGES } from './record-changes.ts';
import { WEBHOOK_CHANGES } from './webhook-changes.ts';
import { WORKSPACE_CHANGES } from './workspace-changes.ts';

/** Every request of the dashboard that changes or exports data, by its route. */
export const CHANGES: Readonly<Record<string, Prepare>> = {
  ...ACCOUNT_CHANGES,
  ...OPENID_CHANGES,
  ...KEY_CHANGES,
  ...RECORD_CHANGES,
  ...WORKSPACE_CHANGES,
  ...WEBHOOK_CHANGES,
};
