import type { OneDelivery } from '@svc/service/webhooks/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { isFailure } from '../../../api/failure.ts';
import { deliveryQuery, type WebhookId } from '../../../api/webhooks.ts';
import { Page } from '../../../layout/page.tsx';
import { PageSkeleton } from '../../../layout/page-skeleton.tsx';
import { Section } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { FailureState } from '../../../ui/failure-state.tsx';
import { WebhookAccess } from '../webhook-access.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { ReplayButton } from './replay-button.tsx';
import { formatJson } from './request.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/webhooks/$endpointId/deliveries/$eventId');

export function DeliveryPage() {
  const { eventId, ...id } = route.useParams();
  return (
    <WebhookAccess workspaceId={id.workspaceId}>
      <LoadedDelivery key={eventId} id={id} eventId={eventId} />
    </WebhookAccess>
  );
}

interface LoadedDeliveryProps {
  readonly id: WebhookId;
  readonly eventId: string;
}

function LoadedDelivery({ id, eventId }: LoadedDeliveryProps) {
  const { data, error, refetch } = useQuery(deliveryQuery(id, eventId));
  if (isFailure(error, 'not_found')) {
    return (
      <Page title="Not found" description={<BackLink id={id} />}>
        <p className="text-soft">
          The endpoint has no delivery of the event <code className="text-ink wrap-anywhere">{eventId}</code>.
          Deliveries are kept for 30 days, and deleted with their endpoint.
        </p>
      </Page>
    );
  }
  if (data !== undefined) return <DeliveryDetails id={id} delivery={data.delivery} />;
  if (error === null) return <PageSkeleton />;
  return (
    <FailureState
      error={error}
      retry={() => void refetch()}
      title="The delivery could not be loaded"
      heading="h1"
    />
  );
}

interface DeliveryDetailsProps {
  readonly id: WebhookId;
  readonly delivery: OneDelivery['delivery'];
}

const DeliveryDetails = ({ id, delivery }: DeliveryDetailsProps) => {
  const { type, request, response, status } = delivery;
  return (
    <Page
      title={type}
      description={<BackLink id={id} />}
      actions={<ReplayButton id={id} delivery={delivery} />}
    >
      <DeliveryState workspaceId={id.workspaceId} delivery={delivery} />
      <Section title="Request" description="The body. The button copies exactly the text that was signed.">
        {request === null ? (
          <p className="text-soft">The body is no longer kept.</p>
        ) : (
          <CodeBlock code={formatJson(request)} copied={request} label="request body" />
        )}
      </Section>
      <Section title="Response" description="The first kilobyte of the response to the last attempt.">
        {response === null || response === '' ? (
          <p className="text-soft">
            {status === null ? 'There was no response.' : 'The response was empty.'}
          </p>
        ) : (
          <CodeBlock code={response} label="response body" />
        )}
      </Section>
    </Page>
  );
};

const BackLink = ({ id }: { readonly id: WebhookId }) => (
  <Link
    to="/w/$workspaceId/webhooks/$endpointId"
    params={id}
    className="inline-flex items-center gap-1.5 hover:text-ink hover:underline"
  >
    <ArrowLeft size={14} aria-hidden />
    The endpoint and its deliveries
  </Link>
);
