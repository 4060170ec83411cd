import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { KeyStatus } from '../../api/keys.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { Page } from '../../layout/page.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Segments } from '../../ui/segments.tsx';
import { CreateKey } from './create-key.tsx';
import { useKeyActions } from './key/key-dialogs.tsx';
import { KeyList } from './key-list.tsx';
import { KeyNotices } from './key-notices.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/keys');

const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'paused', label: 'Paused' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
] as const;

export function KeysPage() {
  const { workspaceId } = route.useParams();
  const { status = 'active', create } = route.useSearch();
  const navigate = route.useNavigate();
  const { role } = useWorkspace(workspaceId);
  const blocked = whyNot(role, 'key.manage');
  const { act, show, dialogs } = useKeyActions(workspaceId);
  const setCreating = (next: typeof create): void =>
    void navigate({
      search: (known) => ({ ...known, create: next }),
      replace: true,
      // The dialog has asked.
      ignoreBlocker: true,
    });
  const button = (next: typeof create) => (
    <Button variant="primary" blocked={blocked} onClick={() => setCreating(next)}>
      <Plus size={15} aria-hidden />
      Create key
    </Button>
  );
  return (
    <Page {...PAGE_HEADS['/w/$workspaceId/keys']} actions={button(true)}>
      <KeyNotices workspaceId={workspaceId} />
      <Card className="overflow-hidden">
        <div className="flex items-center border-b border-line px-4 py-2.5">
          <Segments<KeyStatus>
            label="Status"
            value={status}
            onChange={(next) => void navigate({ search: { status: next === 'active' ? undefined : next } })}
            options={STATUSES}
          />
        </div>
        <KeyList
          workspaceId={workspaceId}
          status={status}
          blocked={blocked}
          createButton={button('test')}
          onAction={act}
        />
      </Card>
      {create !== undefined && blocked === undefined ? (
        <CreateKey
          workspaceId={workspaceId}
          mode={create === 'test' ? 'test' : 'live'}
          onClose={() => setCreating(undefined)}
          onCreated={show}
        />
      ) : null}
      {dialogs}
    </Page>
  );
}
