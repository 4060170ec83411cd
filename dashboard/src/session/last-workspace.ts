import type { Me } from '@svc/service/dashboard/wire';

const STORED_AS = 'svc.workspace';

/**
 * The last visited workspace of which the person is still a member: that of this tab, otherwise that of the browser. Without
 * either, their first one.
 */
export function startingWorkspace({ workspaces }: Me): string | undefined {
  const last = read().find((stored) => workspaces.some(({ id }) => id === stored));
  return last ?? workspaces[0]?.id;
}

/** The tabs of a browser share the local storage, but not the session storage. */
function read(): readonly (string | null)[] {
  try {
    return [sessionStorage.getItem(STORED_AS), localStorage.getItem(STORED_AS)];
  } catch {
    return [];
  }
}

export function rememberWorkspace(workspaceId: string): void {
  try {
    sessionStorage.setItem(STORED_AS, workspaceId);
    localStorage.setItem(STORED_AS, workspaceId);
  } catch {
    // Storage is switched off. startingWorkspace returns the first workspace.
  }
}
