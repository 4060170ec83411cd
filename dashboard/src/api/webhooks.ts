import type { ListEnvelope } from '@svc/sdk';
import { PAGE_LIMIT_DEFAULT } from '@svc/sdk/contract';
import type {
  CreatedEndpoint,
  OneDelivery,
  Replayed,
  ReplayedDelivery,
  SentTest,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookPlot,
  WebhookRange,
  WebhookSecrets,
} from '@svc/service/webhooks/wire';
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  type UseMutationOptions,
  useQueryClient,
} from '@tanstack/react-query';
import { type Action, useAction } from './action.ts';
import { type CallOptions, call, ofWorkspace } from './client.ts';
import { isFailure } from './failure.ts';

/** What a person chooses about an endpoint. */
export type WebhookSettings = Pick<
  WebhookEndpoint,
  'url' | 'description' | 'types' | 'companyId' | 'ordered'
>;

/** Names an endpoint. */
export interface WebhookId {
  readonly workspaceId: string;
  readonly endpointId: string;
}

const LIST_REFRESH_MS = 60_000;
const REFRESH_MS = 10_000;
/** While something is about to be sent. */
export const SOON_MS = 1_000;

const allOf = (workspaceId: string) => ['workspace', workspaceId, 'webhooks'] as const;
const keyOf = ({ workspaceId, endpointId }: WebhookId) => [...allOf(workspaceId), endpointId] as const;
const pathOf = ({ workspaceId, endpointId }: WebhookId, path = ''): string =>
  ofWorkspace(workspaceId, `/webhooks/${encodeURIComponent(endpointId)}${path}`);
const deliveryPath = (id: WebhookId, eventId: string): string =>
  pathOf(id, `/deliveries/${encodeURIComponent(eventId)}`);

/** Newest first. */
export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...allOf(workspaceId), 'list'],
    queryFn: ({ signal }) =>
      call<{ readonly data: readonly WebhookEndpoint[] }>(ofWorkspace(workspaceId, '/webhooks'), { signal }),
    refetchInterval: LIST_REFRESH_MS,
  });

export const webhookQuery = (id: WebhookId) =>
  queryOptions({
    queryKey: [...keyOf(id), 'endpoint'],
    queryFn: ({ signal }) => call<{ readonly endpoint: WebhookEndpoint }>(pathOf(id), { signal }),
    refetchInterval: REFRESH_MS,
  });

/** Numbers of attempts and their latencies over time. */
export const webhookPlotQuery = (id: WebhookId, range: WebhookRange) =>
  queryOptions({
    queryKey: [...keyOf(id), 'plot', range],
    queryFn: ({ signal }) => call<WebhookPlot>(pathOf(id, '/plot'), { query: { range }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: LIST_REFRESH_MS,
  });

/** The deliveries of an endpoint. While only the first page is loaded, it is read again every few seconds. */
export const deliveriesQuery = (id: WebhookId, filters: NonNullable<CallOptions['query']>) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(id), 'deliveries', filters],
    queryFn: ({ signal, pageParam }) =>
      call<ListEnvelope<WebhookDelivery>>(pathOf(id, '/deliveries'), {
        query: { ...filters, limit: PAGE_LIMIT_DEFAULT, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? REFRESH_MS : false),
  });

/** A delivery. It is read again until it has ended. */
export const deliveryQuery = (id: WebhookId, eventId: string) =>
  queryOptions({
    queryKey: [...keyOf(id), 'delivery', eventId],
    queryFn: ({ signal }) => call<OneDelivery>(deliveryPath(id, eventId), { signal }),
    refetchInterval: ({ state: { data } }) => {
      if (data?.delivery.state !== 'pending') return false;
      const { nextAttemptAt } = data.delivery;
      return nextAttemptAt === null || Date.parse(nextAttemptAt) - Date.now() < REFRESH_MS
        ? SOON_MS
        : REFRESH_MS;
    },
  });

/** Reads everything about webhooks again. */
export const refreshWebhooks = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: allOf(workspaceId) });

/** Removes what is known about an endpoint that was deleted. */
export async function forgetWebhook(client: QueryClient, id: WebhookId): Promise<void> {
  client.removeQueries({ queryKey: keyOf(id) });
  await refreshWebhooks(client, id.workspaceId);
}

/**
 * A request about an endpoint. After a success, and if somebody else has deleted the endpoint meanwhile, everything that
 * shows it is read again.
 */
export function useWebhookAction<Data, Variables = void>(
  workspaceId: string,
  options: UseMutationOptions<Data, Error, Variables>,
): Action<Data, Variables> {
  const client = useQueryClient();
  return useAction({
    ...options,
    onSettled: async (_data, error) => {
      if (error === null || isFailure(error, 'not_found')) await refreshWebhooks(client, workspaceId);
    },
  });
}

export const createWebhook = (
  workspaceId: string,
  settings: WebhookSettings,
  idempotencyKey: string,
): Promise<CreatedEndpoint> =>
  call(ofWorkspace(workspaceId, '/webhooks'), { method: 'POST', body: settings, idempotencyKey });

export type WebhookChange = Partial<WebhookSettings & Pick<WebhookEndpoint, 'enabled'>>;

export const changeWebhook = (
  id: WebhookId,
  change: WebhookChange,
): Promise<{ readonly endpoint: WebhookEndpoint }> => call(pathOf(id), { method: 'PATCH', body: change });

export const deleteWebhook = (id: WebhookId): Promise<void> => call(pathOf(id), { method: 'DELETE' });

export const readWebhookSecret = (id: WebhookId): Promise<WebhookSecrets> => call(pathOf(id, '/secret'));

export const rotateWebhookSecret = (id: WebhookId): Promise<WebhookSecrets> =>
  call(pathOf(id, '/rotate'), { method: 'POST' });

export const sendTestEvent = (id: WebhookId): Promise<SentTest> =>
  call(pathOf(id, '/test'), { method: 'POST' });

export const replayDelivery = (id: WebhookId, eventId: string): Promise<ReplayedDelivery> =>
  call(`${deliveryPath(id, eventId)}/replay`, { method: 'POST' });

/** What to send again: all failed deliveries, or everything since a time. */
export type Replay = { readonly failed: true } | { readonly since: string };

export const replayWebhook = (id: WebhookId, replay: Replay): Promise<Replayed> =>
  call(pathOf(id, '/replay'), { method: 'POST', body: replay });
