import { Building2 } from 'lucide-react';
import { useMe } from '../../api/me.ts';
import { Page } from '../../layout/page.tsx';
import { Shell } from '../../layout/shell.tsx';
import { startingWorkspace } from '../../session/last-workspace.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PasswordSection } from './password-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

/** What belongs to the person, whatever the workspace. */
export function AccountPage() {
  const me = useMe();
  const workspaceId = startingWorkspace(me);
  return (
    <Shell workspaceId={workspaceId}>
      <Page title="Account" description={`${me.user.name} · ${me.user.email}`} narrow>
        {workspaceId === undefined ? (
          <Card>
            <EmptyState icon={Building2} title="You are in no workspace">
              You were removed from the last one. Ask an owner or admin to invite {me.user.email} again.
            </EmptyState>
          </Card>
        ) : null}
        <PasswordSection />
        <SecondFactorSection />
        <SessionsSection />
      </Page>
    </Shell>
  );
}
