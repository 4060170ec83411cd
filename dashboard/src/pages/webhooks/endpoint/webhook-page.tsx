import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { isFailure } from '../../../api/failure.ts';
import { type WebhookId, webhookQuery } from '../../../api/webhooks.ts';
import { Page } from '../../../layout/page.tsx';
import { PageSkeleton } from '../../../layout/page-skeleton.tsx';
import { FailureState } from '../../../ui/failure-state.tsx';
import { nameOf } from '../state.tsx';
import { WebhookAccess } from '../webhook-access.tsx';
import { DeliveriesSection } from './deliveries-section.tsx';
import { DisabledNotice } from './disabled-notice.tsx';
import { PlotsSection } from './plots-section.tsx';
import { SecretSection } from './secret-section.tsx';
import { SettingsSection } from './settings-section.tsx';
import { WebhookActions, type WebhookActionsProps } from './webhook-actions.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/webhooks/$endpointId');

export function WebhookPage() {
  const id = route.useParams();
  return (
    <WebhookAccess workspaceId={id.workspaceId}>
      <LoadedWebhook key={id.endpointId} id={id} />
    </WebhookAccess>
  );
}

function LoadedWebhook({ id }: { readonly id: WebhookId }) {
  const { data, error, refetch } = useQuery(webhookQuery(id));
  const [editing, setEditing] = useState(false);
  // An endpoint that somebody deleted is shown while it is edited, to keep what was typed.
  if (isFailure(error, 'not_found') && !editing) {
    return (
      <Page title="Not found" description={<BackLink workspaceId={id.workspaceId} />}>
        <p className="text-soft">
          There is no webhook endpoint with the ID{' '}
          <code className="text-ink wrap-anywhere">{id.endpointId}</code>. It may have been deleted.
        </p>
      </Page>
    );
  }
  if (data !== undefined) {
    return <WebhookDetails id={id} endpoint={data.endpoint} editing={editing} onEditing={setEditing} />;
  }
  if (error === null) return <PageSkeleton />;
  return (
    <FailureState
      heading="h1"
      error={error}
      retry={() => void refetch()}
      title="The webhook endpoint could not be loaded"
    />
  );
}

const WebhookDetails = ({ id, endpoint, ...dialog }: WebhookActionsProps) => (
  <Page
    title={nameOf(endpoint)}
    description={<BackLink workspaceId={id.workspaceId} />}
    actions={<WebhookActions id={id} endpoint={endpoint} {...dialog} />}
  >
    <DisabledNotice id={id} endpoint={endpoint} />
    <SettingsSection workspaceId={id.workspaceId} endpoint={endpoint} />
    <SecretSection id={id} />
    <PlotsSection id={id} />
    <DeliveriesSection id={id} />
  </Page>
);

const BackLink = ({ workspaceId }: Pick<WebhookId, 'workspaceId'>) => (
  <Link
    to="/w/$workspaceId/webhooks"
    params={{ workspaceId }}
    className="inline-flex items-center gap-1.5 hover:text-ink hover:underline"
  >
    <ArrowLeft size={14} aria-hidden />
    All webhooks
  </Link>
);
