const STORED_AS = 'svc.dismissed-notice.';

/** The notice that was dismissed last in this workspace, in this browser. */
export function dismissedNotice(workspaceId: string): string | null {
  try {
    return localStorage.getItem(STORED_AS + workspaceId);
  } catch {
    return null;
  }
}

export function dismissNotice(workspaceId: string, notice: string): void {
  try {
    localStorage.setItem(STORED_AS + workspaceId, notice);
  } catch {
    // Storage is switched off. The notice is dismissed until the page is closed.
  }
}
