import type { Role } from '@svc/service/dashboard/permissions';
import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from '../api/me.ts';
import { workspaceQuery } from '../api/workspace.ts';

/** Names of the workspaces that the person could open before, by id. */
const lost = new Map<string, string>();

/** The name of a workspace that the person had access to until a moment ago; undefined for any other. */
export const lostWorkspaceName = (workspaceId: string): string | undefined => lost.get(workspaceId);

/**
 * Forgets the data of a workspace that was shown. Returns whether it was: otherwise its first request is still running, and
 * nothing may cancel that.
 */
export function forgetWorkspace(client: QueryClient, workspaceId: string): boolean {
  if (client.getQueryData(workspaceQuery(workspaceId).queryKey) === undefined) return false;
  client.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(workspaceId) });
  return true;
}

/**
 * Reads the role of the person again, which somebody may have changed. The page then shows what the role allows. Resolves
 * with the role if it is another one.
 */
export async function readRoleAgain(client: QueryClient, workspaceId: string): Promise<Role | undefined> {
  const { queryKey } = workspaceQuery(workspaceId);
  const before = client.getQueryData(queryKey)?.role;
  if (before === undefined) return undefined;
  await Promise.all(
    [queryKey, meQuery.queryKey].map((key) =>
      client.invalidateQueries({ queryKey: key, exact: true }, { cancelRefetch: false }),
    ),
  );
  const now = client.getQueryData(queryKey)?.role;
  return now === before ? undefined : now;
}

let asking = false;

/**
 * Asks whether the person is still a member of the workspace. If not, forgets its data and calls `onLost`. Does nothing if
 * they were not known as a member.
 */
export async function checkMembership(
  client: QueryClient,
  workspaceId: string,
  onLost: () => void,
): Promise<void> {
  const before = client.getQueryData(meQuery.queryKey)?.workspaces.find(({ id }) => id === workspaceId);
  if (asking || before === undefined) return;
  asking = true;
  try {
    const { workspaces } = await client.fetchQuery({ ...meQuery, staleTime: 0 });
    if (workspaces.some(({ id }) => id === workspaceId)) return;
    lost.set(workspaceId, before.name);
    forgetWorkspace(client, workspaceId);
    onLost();
  } catch {
    // The page shows its own error.
  } finally {
    asking = false;
  }
}
