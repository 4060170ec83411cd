import type { Deployment, Usage, Workspace } from '@svc/service/dashboard/wire';
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

/** Requests per day (UTC) and key in the last `days` days, including today. */
export const usageQuery = (workspaceId: string, days: number) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'usage', days],
    queryFn: ({ signal }) => call<Usage>(ofWorkspace(workspaceId, '/usage'), { query: { days }, signal }),
  });

export type Month = Usage['month'];

const MONTH_REFRESH_MS = 60_000;

/** The live quota of this month, read again every minute while the window is visible. */
export const monthQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'usage', 'month'],
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
