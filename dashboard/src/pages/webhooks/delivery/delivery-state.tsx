import type { OneDelivery } from '@svc/service/webhooks/wire';
import { formatNumber } from '../../../format/number.ts';
import { When } from '../../../format/when.tsx';
import { Section } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Details, Item } from '../../../ui/details.tsx';
import { DeliveryBadge, outcomeOf } from '../state.tsx';
import { RecordLink } from './record-link.tsx';
import { recordOf } from './request.ts';

export interface DeliveryStateProps {
  readonly workspaceId: string;
  readonly delivery: OneDelivery['delivery'];
}

/** What came of a delivery so far. */
export function DeliveryState({ workspaceId, delivery }: DeliveryStateProps) {
  const { id, state, attempts, durationMs, createdAt, attemptedAt, nextAttemptAt, request } = delivery;
  const record = request === null ? undefined : recordOf(request);
  return (
    <Section title="Delivery">
      <Details>
        <Item label="State">
          <span role="status">
            <DeliveryBadge state={state} />
          </span>
        </Item>
        <Item label="Event">
          <code>{id}</code> <CopyButton text={id} label="Copy the event id" />
        </Item>
        {record === undefined ? null : (
          <Item label="Record">
            <RecordLink workspaceId={workspaceId} record={record} />
          </Item>
        )}
        <Item label="Response">{outcomeOf(delivery)}</Item>
        {attemptedAt === null ? null : <Item label="Duration">{formatNumber(durationMs)} ms</Item>}
        <Item label="Attempts">{formatNumber(attempts)}</Item>
        <Item label="Created">
          <When at={createdAt} form="full" />
        </Item>
        <Item label="Last attempt">
          <When at={attemptedAt} form="full" />
        </Item>
        <Item label="Next attempt">
          {nextAttemptAt === null ? 'None' : <When at={nextAttemptAt} form="full" />}
        </Item>
      </Details>
    </Section>
  );
}
