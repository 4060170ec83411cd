import type { WebhookDelivery } from '@svc/service/webhooks/wire';
import { Link } from '@tanstack/react-router';
import type { WebhookId } from '../../../api/webhooks.ts';
import { formatNumber } from '../../../format/number.ts';
import { counted } from '../../../format/plural.ts';
import { When } from '../../../format/when.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../../../ui/table.tsx';
import { DeliveryBadge, outcomeOf } from '../state.tsx';

export interface DeliveryTableProps {
  readonly id: WebhookId;
  readonly deliveries: readonly WebhookDelivery[];
}

export const DeliveryTable = ({ id, deliveries }: DeliveryTableProps) => (
  <Table label="Deliveries of this endpoint">
    <TableHead>
      <tr>
        <HeadCell>Event</HeadCell>
        <HeadCell>State</HeadCell>
        <HeadCell className="hidden sm:table-cell">Response</HeadCell>
        <HeadCell className="hidden md:table-cell">Attempts</HeadCell>
        <HeadCell className="hidden lg:table-cell">Duration</HeadCell>
        <HeadCell className="hidden md:table-cell">Created</HeadCell>
        <HeadCell className="hidden lg:table-cell">Next attempt</HeadCell>
      </tr>
    </TableHead>
    <TableBody>
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} id={id} delivery={delivery} />
      ))}
    </TableBody>
  </Table>
);

interface DeliveryRowProps {
  readonly id: WebhookId;
  readonly delivery: WebhookDelivery;
}

const DeliveryRow = ({ id, delivery }: DeliveryRowProps) => {
  const { id: eventId, type, state, attempts, durationMs, createdAt, attemptedAt, nextAttemptAt } = delivery;
  const outcome = outcomeOf(delivery);
  return (
    <Row>
      <Cell className="max-w-0 min-w-40 sm:w-2/5">
        <Link
          to="/w/$workspaceId/webhooks/$endpointId/deliveries/$eventId"
          params={{ ...id, eventId }}
          className="block truncate font-medium hover:underline"
        >
          {type}
        </Link>
        <code className="block truncate text-xs text-soft" title={eventId}>
          {eventId}
        </code>
        <div className="text-sm text-soft md:hidden">
          {counted(attempts, ['attempt', 'attempts'])}, <When at={createdAt} />
        </div>
      </Cell>
      <Cell>
        <DeliveryBadge state={state} />
      </Cell>
      <Cell className="hidden max-w-48 truncate tabular-nums sm:table-cell" title={outcome}>
        {outcome}
      </Cell>
      <Cell className="hidden tabular-nums md:table-cell">{formatNumber(attempts)}</Cell>
      <Cell className="hidden whitespace-nowrap text-soft tabular-nums lg:table-cell">
        {attemptedAt === null ? 'None' : `${formatNumber(durationMs)} ms`}
      </Cell>
      <Cell className="hidden text-soft md:table-cell">
        <When at={createdAt} />
      </Cell>
      <Cell className="hidden text-soft lg:table-cell">
        {nextAttemptAt === null ? 'None' : <When at={nextAttemptAt} form="upcoming" />}
      </Cell>
    </Row>
  );
};
