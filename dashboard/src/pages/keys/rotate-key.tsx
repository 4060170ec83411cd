import type { ApiKey } from '@svc/sdk';
import type { IssuedKey } from '@svc/service/dashboard/wire';
import { rotateKey } from '../../api/keys.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { LastUse } from './last-use.tsx';

export interface RotateKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedKey) => void;
}

export const RotateKey = ({ workspaceId, apiKey, onClose, onIssued }: RotateKeyProps) => (
  <Confirm
    open
    onOpenChange={onClose}
    title={`Rotate “${apiKey.name}”?`}
    action="Rotate key"
    dangerous
    onConfirm={async () => onIssued(await rotateKey(workspaceId, apiKey.id))}
  >
    <p>
      The token <code className="text-ink">{apiKey.hint}</code> stops working immediately. You get a new
      token, which is shown only once.
    </p>
    <p>
      To avoid downtime, use Replace instead: it creates a second key, and this one works until you revoke it.
    </p>
    <LastUse apiKey={apiKey} />
  </Confirm>
);
