import type { Time } from '@svc/sdk';
import type { DisabledReason } from './deliveries.ts';
import type { EndpointSettings } from './endpoints.ts';

/** The bodies of the dashboard's responses about webhooks. */

/** An item of `GET …/webhooks`. */
export interface WebhookEndpoint extends EndpointSettings {
  /** `whe_…` */
  readonly id: string;
  readonly enabled: boolean;
  /** Null while it is enabled. `person`: a person disabled it. The others: the service did. */
  readonly disabled: { readonly reason: DisabledReason | 'person'; readonly at: Time } | null;
  /** The first attempt since which every attempt failed. Null: the last one succeeded, or there was none. */
  readonly failingSince: Time | null;
  readonly createdAt: Time;
  readonly updatedAt: Time;
}

/** `GET …/webhooks/{endpointId}/secret`, and `POST …/rotate`. */
export interface WebhookSecrets {
  /** `whsec_…` */
  readonly secret: string;
  /** The secret before the last rotation, which signs too until that time. */
  readonly previous: { readonly secret: string; readonly until: Time } | null;
}

/** `POST …/webhooks`. */
export interface CreatedEndpoint {
  readonly endpoint: WebhookEndpoint;
  /** Null in the response to a repeat: the secret was in the first response. */
  readonly secret: string | null;
}

/** An item of `GET …/webhooks/{endpointId}/deliveries`. */
export interface WebhookDelivery {
  /** Id of the event, and the `webhook-id`. */
  readonly id: string;
  readonly type: string;
  /** `pending`: it is sent at `nextAttemptAt`. `failed`: it is not sent again by itself. */
  readonly state: 'delivered' | 'pending' | 'failed';
  /** How often it was sent, since the last replay. */
  readonly attempts: number;
  /** Of the last attempt: the status of the response, or why there was none. Both are null before the first. */
  readonly status: number | null;
  readonly failure: string | null;
  readonly durationMs: number;
  /** When the endpoint got the event for the first time. */
  readonly createdAt: Time;
  /** Null: it was not sent yet. */
  readonly attemptedAt: Time | null;
  /** Null unless it is pending. */
  readonly nextAttemptAt: Time | null;
}

/** `GET …/webhooks/{endpointId}/deliveries/{eventId}`. */
export interface OneDelivery {
  readonly delivery: WebhookDelivery & {
    /** The exact body. Null: the feed no longer has the event. */
    readonly request: string | null;
    /** The first kilobyte of the last response. */
    readonly response: string | null;
  };
}

/** `POST …/webhooks/{endpointId}/deliveries/{eventId}/replay`. */
export interface ReplayedDelivery {
  readonly delivery: WebhookDelivery;
}

/** `POST …/webhooks/{endpointId}/replay`. */
export interface Replayed {
  /** How many failed events are sent again: the oldest 10,000 of them. Null: everything since a time is sent again. */
  readonly replayed: number | null;
}

/** `POST …/webhooks/{endpointId}/test`. */
export interface SentTest {
  readonly eventId: string;
}

/** The length of time of `GET …/webhooks/{endpointId}/plot`. */
export type WebhookRange = '24h' | '7d' | '30d';

/** `GET …/webhooks/{endpointId}/plot`. */
export interface WebhookPlot {
  readonly step: 'hour' | 'day';
  /** Oldest first, without gaps. The last one is the present hour or day (UTC). */
  readonly spans: readonly {
    /** Start of the span. */
    readonly at: Time;
    /** Attempts that delivered, and those that did not. */
    readonly delivered: number;
    readonly failed: number;
    /** The duration that half of the attempts did not exceed, in milliseconds; null without attempts. */
    readonly p50: number | null;
    /** The same for 99 % of the attempts. */
    readonly p99: number | null;
  }[];
}
