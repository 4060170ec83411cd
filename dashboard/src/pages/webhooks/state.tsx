import type { WebhookDelivery, WebhookEndpoint } from '@svc/service/webhooks/wire';
import { When } from '../../format/when.tsx';
import { valueLabel } from '../../resources/labels.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';

type Reason = NonNullable<WebhookEndpoint['disabled']>['reason'];

/** Why an endpoint is disabled: a sentence without its period. */
export const REASONS: Readonly<Record<Reason, string>> = {
  gone: 'The receiver responded with 410 (Gone)',
  exhausted: 'All attempts to deliver an event failed, for about three days',
  failing: 'Every attempt failed for five days',
  expired: 'Its next event is older than the events that are kept',
  person: 'A person disabled it',
};

/** Whether the service, not a person, has disabled the endpoint. */
export const isDisabledByService = ({ disabled }: WebhookEndpoint): boolean =>
  disabled !== null && disabled.reason !== 'person';

interface EndpointProps {
  readonly endpoint: WebhookEndpoint;
}

const EndpointBadge = ({ endpoint: { disabled, failingSince } }: EndpointProps) => {
  if (disabled !== null)
    return <Badge tone={disabled.reason === 'person' ? 'neutral' : 'bad'}>Disabled</Badge>;
  return failingSince === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="warn">Failing</Badge>;
};

/** The state of an endpoint, and since when and why. */
export const EndpointState = ({ endpoint }: EndpointProps) => {
  const { disabled, failingSince } = endpoint;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <EndpointBadge endpoint={endpoint} />
      {disabled !== null ? (
        <span className="text-sm text-soft">
          {REASONS[disabled.reason]} · <When at={disabled.at} />
        </span>
      ) : failingSince !== null ? (
        <span className="text-sm text-soft">
          Since <When at={failingSince} />
        </span>
      ) : null}
    </span>
  );
};

const DELIVERY_TONES: Readonly<Record<WebhookDelivery['state'], Tone>> = {
  delivered: 'good',
  pending: 'warn',
  failed: 'bad',
};

export const DeliveryBadge = ({ state }: Pick<WebhookDelivery, 'state'>) => (
  <Badge tone={DELIVERY_TONES[state]}>{valueLabel(state)}</Badge>
);

/** The status of the response to the last attempt, or why there was none. */
export const outcomeOf = ({ status, failure }: Pick<WebhookDelivery, 'status' | 'failure'>): string =>
  status === null ? (failure ?? 'Not sent yet') : String(status);

/** The description of an endpoint, otherwise the host of its URL. */
export const nameOf = ({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string =>
  description === '' ? (URL.parse(url)?.host ?? url) : description;
