import { Building2 } from 'lucide-react';
import { useMe } from '../../api/me.ts';
import { Page } from '../../layout/page.tsx';
import { Shell } from '../../layout/shell.tsx';
import { startingWorkspace } from '../../session/last-workspace.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { ProviderSection } from './provider-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { TimeZoneSection } from './time-zone-section.tsx';

/** Settings of the person, independent of the workspace. */
export function AccountPage() {
  const me = useMe();
  const workspaceId = startingWorkspace(me);
  return (
    <Shell workspaceId={workspaceId}>
      <Page title="Account" description={`${me.user.name} · ${me.user.email}`} narrow>
        {workspaceId === undefined ? (
          <Card>
            <EmptyState icon={Building2} title="You are not a member of any workspace">
              Ask an owner or admin of a workspace to invite {me.user.email}.
            </EmptyState>
          </Card>
        ) : null}
        <ProfileSection />
        <TimeZoneSection />
        <PasswordSection />
        <ProviderSection />
        <SecondFactorSection />
        <SessionsSection />
      </Page>
    </Shell>
  );
}
