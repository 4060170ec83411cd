import type { Audit, ListEnvelope, Mention } from '@svc/sdk';
import { CONTRACT } from '@svc/sdk/contract';
import type { Overview, RangeName, Traffic } from '@svc/service/dashboard/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

const REFRESH_MS = 60_000;
const NEWEST = 6;

/** Figures that change without the viewer are read again every minute while the page is open. */
const live = { refetchInterval: REFRESH_MS } as const;

/** Traffic with its range, which can be the one before while the data of another one load. */
export interface TrafficOfRange extends Traffic {
  readonly range: RangeName;
}

export const trafficQuery = (workspaceId: string, range: RangeName) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'traffic', range],
    queryFn: async ({ signal }): Promise<TrafficOfRange> => ({
      range,
      ...(await call<Traffic>(ofWorkspace(workspaceId, '/traffic'), { query: { range }, signal })),
    }),
    placeholderData: keepPreviousData,
    ...live,
  });

export const overviewQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'overview'],
    queryFn: ({ signal }) => call<Overview>(ofWorkspace(workspaceId, '/overview'), { signal }),
    ...live,
  });

/** The records at the top of the list with this sort. */
const newestQuery = <Item>(workspaceId: string, resource: string, sort: string) =>
  queryOptions({
    queryKey: ['workspace', workspaceId, 'newest', resource],
    queryFn: ({ signal }) =>
      call<ListEnvelope<Item>>(ofWorkspace(workspaceId, `/data/${resource}`), {
        query: { limit: NEWEST, sort },
        signal,
      }),
    ...live,
  });
export const newestAuditsQuery = (workspaceId: string) =>
  newestQuery<Audit>(workspaceId, CONTRACT.audits.name, 'completed-descending');
export const newestMentionsQuery = (workspaceId: string) =>
  newestQuery<Mention>(workspaceId, CONTRACT.mentions.name, 'published-descending');
