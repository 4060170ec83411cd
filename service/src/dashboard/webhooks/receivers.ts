import { createSecretSealer, type SecretSealer } from '@svc/deployment-secrets/sealed';
import { parseNetworks, type ReceiverPolicy } from '@svc/webhook-sender';

/** What the routes of webhooks need. */
export interface Webhooks {
  readonly sealer: SecretSealer;
  /** Where receivers may be. */
  readonly receivers: ReceiverPolicy;
}

export const createWebhooks = (secrets: readonly string[], networks: string): Webhooks => ({
  sealer: createSecretSealer(secrets),
  receivers: { networks: parseNetworks(networks) },
});
