import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../layout/page.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { GeneralTab } from './general-tab.tsx';
import { LimitsTab } from './limits-tab.tsx';
import { MembersTab } from './members-tab.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/settings');

export function SettingsPage() {
  const { workspaceId } = route.useParams();
  const { tab = 'general', invite } = route.useSearch();
  const navigate = route.useNavigate();
  const setInviting = (inviting: boolean): void =>
    void navigate({
      search: { tab: 'members', invite: inviting ? true : undefined },
      replace: true,
      // The dialog has asked.
      ignoreBlocker: true,
    });
  return (
    <Page {...PAGE_HEADS['/w/$workspaceId/settings']} narrow>
      {/* The key resets the forms when the workspace changes. */}
      <Tabs
        key={workspaceId}
        label="Settings"
        value={tab}
        onChange={(next) =>
          void navigate({ search: { tab: next === 'limits' || next === 'members' ? next : undefined } })
        }
        tabs={[
          { id: 'general', label: 'General', content: <GeneralTab workspaceId={workspaceId} /> },
          { id: 'limits', label: 'Limits and retention', content: <LimitsTab workspaceId={workspaceId} /> },
          {
            id: 'members',
            label: 'Members',
            content: (
              <MembersTab workspaceId={workspaceId} inviting={invite === true} onInvite={setInviting} />
            ),
          },
        ]}
      />
    </Page>
  );
}
