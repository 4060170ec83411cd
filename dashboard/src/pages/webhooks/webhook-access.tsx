import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/workspace.ts';
import { Page } from '../../layout/page.tsx';
import { whyNot } from '../../session/permissions.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export interface WebhookAccessProps {
  readonly workspaceId: string;
  readonly children: ReactNode;
}

/** Shows its children to people who may manage webhooks, and to others why they may not. */
export function WebhookAccess({ workspaceId, children }: WebhookAccessProps) {
  const { role } = useWorkspace(workspaceId);
  const blocked = whyNot(role, 'webhook.manage');
  if (blocked === undefined) return children;
  return (
    <Page title="Webhooks">
      <Card>
        <EmptyState icon={Lock} title="You cannot see webhooks">
          {blocked}
        </EmptyState>
      </Card>
    </Page>
  );
}
