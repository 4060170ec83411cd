import type { CreatedEndpoint } from '@svc/service/webhooks/wire';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Page } from '../../layout/page.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { CreatedDialog } from './created-webhook.tsx';
import { WebhookAccess } from './webhook-access.tsx';
import { WebhookList } from './webhook-list.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/webhooks');

export function WebhooksPage() {
  const { workspaceId } = route.useParams();
  return (
    <WebhookAccess workspaceId={workspaceId}>
      <Webhooks key={workspaceId} workspaceId={workspaceId} />
    </WebhookAccess>
  );
}

function Webhooks({ workspaceId }: { readonly workspaceId: string }) {
  const { create } = route.useSearch();
  const navigate = route.useNavigate();
  const [created, setCreated] = useState<CreatedEndpoint | null>(null);
  const setCreating = (next: typeof create): void =>
    // The dialog has asked.
    void navigate({ search: { create: next }, replace: true, ignoreBlocker: true });
  const button = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus size={15} aria-hidden />
      Create endpoint
    </Button>
  );
  return (
    <Page {...PAGE_HEADS['/w/$workspaceId/webhooks']} actions={button}>
      <Card className="overflow-hidden">
        <WebhookList workspaceId={workspaceId} createButton={button} />
      </Card>
      {create === true ? (
        <CreateWebhook
          workspaceId={workspaceId}
          onClose={() => setCreating(undefined)}
          onCreated={setCreated}
        />
      ) : null}
      {created === null ? null : (
        <CreatedDialog workspaceId={workspaceId} created={created} onClose={() => setCreated(null)} />
      )}
    </Page>
  );
}
