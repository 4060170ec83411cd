import type { Deployment, Month, Workspace } from '@svc/service/dashboard/wire';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId],
    queryFn: ({ signal }) => call<Workspace>(ofWorkspace(workspaceId), { signal }),
  });

/** Only for components below workspaceRoute, which loads the data. */
export const useWorkspace = (workspaceId: string): Workspace =>
  useSuspenseQuery(workspaceQuery(workspaceId)).data;

const MONTH_REFRESH_MS = 60_000;

/** The live quota of this month, read again every minute while the window is visible. */
export const monthQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'month'],
    queryFn: ({ signal }) => call<Month>(ofWorkspace(workspaceId, '/month'), { signal }),
    staleTime: MONTH_REFRESH_MS,
    refetchInterval: MONTH_REFRESH_MS,
  });

export type WorkspaceChange = Partial<
  Pick<Workspace, 'name' | 'liveQuota' | 'burstLimit' | 'secondFactorRequired'>
>;

export const changeWorkspace = (workspaceId: string, change: WorkspaceChange): Promise<Workspace> =>
  call(ofWorkspace(workspaceId), { method: 'PATCH', body: change });

/** Settings of the operator for all workspaces. */
export const deploymentQuery = queryOptions({
  queryKey: ['deployment'],
  queryFn: ({ signal }) => call<Deployment>('/deployment', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
