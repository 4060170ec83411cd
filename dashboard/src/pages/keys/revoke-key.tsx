import type { ApiKey } from '@svc/sdk';
import { revokeKey } from '../../api/keys.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { LastUse } from './last-use.tsx';

export interface RevokeKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onRevoked: () => Promise<void>;
}

export const RevokeKey = ({ workspaceId, apiKey, onClose, onRevoked }: RevokeKeyProps) => (
  <Confirm
    open
    onOpenChange={onClose}
    title={`Revoke “${apiKey.name}”?`}
    action="Revoke key"
    dangerous
    onConfirm={async () => {
      await revokeKey(workspaceId, apiKey.id);
      toast(`“${apiKey.name}” is revoked.`);
      await onRevoked();
    }}
  >
    <p>
      Requests with the token <code className="text-ink">{apiKey.hint}</code> will fail. This cannot be
      undone.
    </p>
    <LastUse workspaceId={workspaceId} apiKey={apiKey} />
  </Confirm>
);
