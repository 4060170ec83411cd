import type { ApiKey } from '@svc/sdk';
import type { CreatedKey } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { type KeyStatus, keysOf } from '../../api/keys.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { Page } from '../../layout/page.tsx';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Segments } from '../../ui/segments.tsx';
import { CreateKey } from './create-key.tsx';
import { EditKey } from './edit-key.tsx';
import { KeyList } from './key-list.tsx';
import type { KeyAction } from './key-row.tsx';
import { PauseKey } from './pause-key.tsx';
import { ReplaceKey } from './replace-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { TokenDialog } from './token-dialog.tsx';

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
  const client = useQueryClient();
  const { role } = useWorkspace(workspaceId);
  const blocked = whyNot(role, 'key.manage');
  const [pending, setPending] = useState<{ readonly key: ApiKey; readonly action: KeyAction } | null>(null);
  /** The only copy of a token, until its dialog closes. */
  const [issued, setIssued] = useState<CreatedKey | null>(null);

  /** The key that the issued one replaces. */
  const [replaced, setReplaced] = useState<ApiKey | null>(null);

  const setCreating = (next: typeof create): void =>
    void navigate({ search: (known) => ({ ...known, create: next }), replace: true });
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: keysOf(workspaceId) });
  const show = (next: CreatedKey): void => {
    setIssued(next);
    void changed();
  };
  const button = (next: typeof create) => (
    <Button variant="primary" blocked={blocked} onClick={() => setCreating(next)}>
      <Plus size={15} aria-hidden />
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      description="Programs use API keys to access this workspace. Each key has the access that you choose."
      actions={button(true)}
    >
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
          onAction={(key, action) =>
            action === 'log'
              ? void navigate({
                  to: '/w/$workspaceId/log',
                  params: { workspaceId },
                  search: { key: key.id },
                })
              : setPending({ key, action })
          }
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
      {pending?.action === 'edit' ? (
        <EditKey
          workspaceId={workspaceId}
          apiKey={pending.key}
          onClose={() => setPending(null)}
          onChanged={changed}
        />
      ) : null}
      {pending?.action === 'pause' ? (
        <PauseKey
          workspaceId={workspaceId}
          apiKey={pending.key}
          onClose={() => setPending(null)}
          onChanged={changed}
        />
      ) : null}
      {pending?.action === 'replace' ? (
        <ReplaceKey
          workspaceId={workspaceId}
          apiKey={pending.key}
          onClose={() => setPending(null)}
          onCreated={(next) => {
            setReplaced(pending.key);
            show(next);
          }}
        />
      ) : null}
      {pending?.action === 'rotate' ? (
        <RotateKey
          workspaceId={workspaceId}
          apiKey={pending.key}
          onClose={() => setPending(null)}
          onIssued={show}
        />
      ) : null}
      {pending?.action === 'revoke' ? (
        <RevokeKey
          workspaceId={workspaceId}
          apiKey={pending.key}
          onClose={() => setPending(null)}
          onRevoked={changed}
        />
      ) : null}
      {issued === null ? null : (
        <TokenDialog
          workspaceId={workspaceId}
          created={issued}
          onIssued={show}
          onClose={() => {
            setIssued(null);
            // The last step of a replacement.
            if (replaced !== null) setPending({ key: replaced, action: 'revoke' });
            setReplaced(null);
          }}
        />
      )}
    </Page>
  );
}
