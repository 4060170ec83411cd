import { useQueryClient } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import { useAction } from '../../api/action.ts';
import { call, ofWorkspace } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { When } from '../../format/when.tsx';
import { Page } from '../../layout/page.tsx';
import { Shell } from '../../layout/shell.tsx';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Problem } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast/toast-store.ts';

/** Replaces the pages of a deleted workspace, until its data is removed. An owner restores it here. */
export function DeletedWorkspacePage() {
  const { workspaceId } = useParams({ strict: false });
  const client = useQueryClient();
  const router = useRouter();
  const deleted = useMe().deletedWorkspaces.find(({ id }) => id === workspaceId);
  const restore = useAction({
    mutationFn: (id: string) => call(ofWorkspace(id, '/restore'), { method: 'POST', body: {} }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['me'] });
      await router.invalidate();
      toast('The workspace is restored.');
    },
  });
  if (deleted === undefined) return null;
  return (
    <Shell workspaceId={undefined}>
      <Page title={`${deleted.name} was deleted`} narrow>
        <Section
          title="Restore this workspace"
          description="Its keys, webhooks, members and data come back as they were."
        >
          {restore.error === null ? null : <Problem>{restore.error.message}</Problem>}
          <p>
            Its data will be removed on <When at={deleted.removedAt} form="full" />.
          </p>
          <div>
            <Button
              variant="primary"
              busy={restore.isPending}
              blocked={whyNot(deleted.role, 'deletion.manage')}
              onClick={() => void restore.run(deleted.id)}
            >
              <Undo2 size={14} aria-hidden />
              Restore workspace
            </Button>
          </div>
        </Section>
      </Page>
    </Shell>
  );
}
