import type { Me } from '@svc/service/dashboard/wire';

const STORED_AS = 'svc.workspace';

/** The last visited workspace if the person is still a member, otherwise their first one. */
export function startingWorkspace({ workspaces }: Me): string | undefined {
  const last = read();
  return (workspaces.find(({ id }) => id === last) ?? workspaces[0])?.id;
}

function read(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null;
  }
}

export function rememberWorkspace(workspaceId: string): void {
  try {
    localStorage.setItem(STORED_AS, workspaceId);
  } catch {
    // Storage is switched off. startingWorkspace returns the first workspace.
  }
}
