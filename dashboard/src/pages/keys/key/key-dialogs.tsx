import type { ApiKey } from '@svc/sdk';
import type { CreatedKey } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { keysOf } from '../../../api/keys.ts';
import { EditKey } from '../edit-key.tsx';
import { PauseKey } from '../pause-key.tsx';
import { ReplaceKey } from '../replace-key.tsx';
import { RevokeKey } from '../revoke-key.tsx';
import { RotateKey } from '../rotate-key.tsx';
import { TokenDialog } from '../token-dialog.tsx';
import type { KeyAction } from './key-menu.tsx';

interface Pending {
  readonly key: ApiKey;
  readonly action: KeyAction;
}

/** Carries out the actions of a key's menu. `dialogs` has to be rendered. */
export interface KeyActions {
  act(key: ApiKey, action: KeyAction): void;
  /** Shows the token of a new key. */
  show(created: CreatedKey): void;
  readonly dialogs: ReactNode;
}

/** `first`: the action whose dialog is open at first. Default: none. */
export function useKeyActions(workspaceId: string, first: Pending | null = null): KeyActions {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [pending, setPending] = useState<Pending | null>(first);
  /** The only copy of a token, until its dialog closes. */
  const [issued, setIssued] = useState<CreatedKey | null>(null);
  /** The key that the issued one replaces. */
  const [replaced, setReplaced] = useState<ApiKey | null>(null);
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: keysOf(workspaceId) });
  const show = (next: CreatedKey): void => {
    setIssued(next);
    void changed();
  };
  const finish = (): void => {
    setIssued(null);
    // The last step of a replacement, unless the new token was lost, so that nobody has it.
    const shown = issued !== null && issued.token !== null;
    if (replaced !== null && shown) setPending({ key: replaced, action: 'revoke' });
    setReplaced(null);
  };
  return {
    act: (key, action) => {
      if (action === 'open') {
        void navigate({ to: '/w/$workspaceId/keys/$keyId', params: { workspaceId, keyId: key.id } });
      } else if (action === 'log') {
        const search = { key: key.id, range: 'all' } as const;
        void navigate({ to: '/w/$workspaceId/log', params: { workspaceId }, search });
      } else setPending({ key, action });
    },
    show,
    dialogs: (
      <>
        {pending === null ? null : (
          <PendingDialog
            workspaceId={workspaceId}
            pending={pending}
            onClose={() => setPending(null)}
            onChanged={changed}
            onIssued={(next) => {
              if (pending.action === 'replace') setReplaced(pending.key);
              show(next);
            }}
          />
        )}
        {issued === null ? null : (
          <TokenDialog workspaceId={workspaceId} created={issued} onIssued={show} onClose={finish} />
        )}
      </>
    ),
  };
}

interface PendingDialogProps {
  readonly workspaceId: string;
  readonly pending: Pending;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<void>;
  readonly onIssued: (created: CreatedKey) => void;
}

function PendingDialog({ workspaceId, pending, onClose, onChanged, onIssued }: PendingDialogProps) {
  const common = { workspaceId, apiKey: pending.key, onClose };
  switch (pending.action) {
    case 'edit':
      return <EditKey {...common} onChanged={onChanged} />;
    case 'pause':
      return <PauseKey {...common} onChanged={onChanged} />;
    case 'replace':
      return <ReplaceKey {...common} onCreated={onIssued} />;
    case 'rotate':
      return <RotateKey {...common} onIssued={onIssued} />;
    case 'revoke':
      return <RevokeKey {...common} onRevoked={onChanged} />;
    case 'log':
    case 'open':
      return null;
  }
}
