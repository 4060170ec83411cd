import { useQuery } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMe } from '../../api/me.ts';
import { sessionQuery } from '../../api/session.ts';
import { Page } from '../../layout/page.tsx';
import { Shell } from '../../layout/shell.tsx';
import { Button } from '../../ui/button.tsx';
import { LeaveWorkspace } from '../settings/leave-workspace.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';

/** Replaces the pages of a workspace that requires a second factor, until the person has one. */
export function SecondFactorNeeded() {
  const { workspaceId } = useParams({ strict: false });
  const workspace = useMe().workspaces.find(({ id }) => id === workspaceId);
  const [leaving, setLeaving] = useState(false);
  const [dialogOpen, setDialogOpen] = useState(false);
  const router = useRouter();
  const enrolled = useQuery(sessionQuery).data?.user.twoFactorEnabled === true;
  // Not while a dialog is open: it may show the backup codes, which are shown only once.
  const ready = enrolled && !dialogOpen;
  useEffect(() => {
    if (ready) void router.invalidate();
  }, [ready, router]);
  return (
    <Shell workspaceId={undefined}>
      <Page
        title={`${workspace?.name ?? 'This workspace'} requires a second factor`}
        description="Set up an authenticator to open the workspace. Your membership and its API keys stay as they are."
        narrow
        actions={
          workspace === undefined ? null : <Button onClick={() => setLeaving(true)}>Leave workspace</Button>
        }
      >
        <SecondFactorSection onDialog={setDialogOpen} />
        {leaving && workspace !== undefined ? (
          <LeaveWorkspace workspace={workspace} onClose={() => setLeaving(false)} />
        ) : null}
      </Page>
    </Shell>
  );
}
