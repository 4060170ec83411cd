import type { ApiKey } from '@svc/sdk';
import type { IssuedKey } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiFailure } from '../../api/failure.ts';
import { keysOf, rotateKey } from '../../api/keys.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { LeaveQuestion } from '../../ui/popup/leave-question.tsx';
import { LastUse } from './last-use.tsx';

export interface RotateKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedKey) => void;
}

export function RotateKey({ workspaceId, apiKey, onClose, onIssued }: RotateKeyProps) {
  const client = useQueryClient();
  const [sending, setSending] = useState(false);
  const close = (): void => {
    onClose();
    // After a lost response, the token in the list is no longer valid.
    void client.invalidateQueries({ queryKey: keysOf(workspaceId) });
  };
  const rotate = async (): Promise<void> => {
    setSending(true);
    try {
      onIssued(await rotateKey(workspaceId, apiKey.id).catch(explainLost));
    } finally {
      setSending(false);
    }
  };
  return (
    <Confirm
      open
      onOpenChange={close}
      title={`Rotate “${apiKey.name}”?`}
      action="Rotate key"
      dangerous
      onConfirm={rotate}
    >
      {sending ? (
        <LeaveQuestion allowsSignIn>The key is being rotated. Its token is shown only once.</LeaveQuestion>
      ) : null}
      <p>
        The token <code className="text-ink">{apiKey.hint}</code> stops working immediately. You get a new
        token, which is shown only once.
      </p>
      <p>
        To avoid downtime, use Replace instead: it creates a second key, and this one works until you revoke
        it.
      </p>
      <LastUse workspaceId={workspaceId} apiKey={apiKey} />
    </Confirm>
  );
}

function explainLost(error: unknown): never {
  if (!(error instanceof ApiFailure) || (error.status !== 0 && error.status < 500)) throw error;
  throw new Error(`${error.message} The key may have been rotated. Rotate again to get a token.`);
}
