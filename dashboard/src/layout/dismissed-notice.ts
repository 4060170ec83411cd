import { readStored, store } from '../stored.ts';

const STORED_AS = 'svc.dismissed-notice.';

/** The notice that was dismissed last in this workspace, in this browser. */
export const dismissedNotice = (workspaceId: string): string | null => readStored(STORED_AS + workspaceId);

/** If the storage is switched off, the notice is dismissed until the page is closed. */
export const dismissNotice = (workspaceId: string, notice: string): void =>
  store(STORED_AS + workspaceId, notice);
