import type { CreatedEndpoint, WebhookEndpoint, WebhookSecrets } from '@svc/service/webhooks/wire';
import {
  type QueryClient,
  queryOptions,
  type UseMutationOptions,
  useQueryClient,
} from '@tanstack/react-query';
import { type Action, useAction } from './action.ts';
import { call, ofWorkspace } from './client.ts';
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

const allOf = (workspaceId: string) => ['workspace', workspaceId, 'webhooks'] as const;
const keyOf = ({ workspaceId, endpointId }: WebhookId) => [...allOf(workspaceId), endpointId] as const;
const pathOf = ({ workspaceId, endpointId }: WebhookId, path = ''): string =>
  ofWorkspace(workspaceId, `/webhooks/${encodeURIComponent(endpointId)}${path}`);
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

/** Reads everything about webhooks again. */
const refreshWebhooks = (client: QueryClient, workspaceId: string): Promise<void> =>
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
