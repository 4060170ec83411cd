import type { ApiKey } from '@svc/sdk';
import { pauseKey, resumeKey } from '../../api/keys.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { LastUse } from './last-use.tsx';

export interface PauseKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Pauses a key, or resumes it if it is paused. */
export function PauseKey({ workspaceId, apiKey, onClose, onChanged }: PauseKeyProps) {
  const { id, name, hint, pausedAt } = apiKey;
  const paused = pausedAt !== null;
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={paused ? `Resume “${name}”?` : `Pause “${name}”?`}
      action={paused ? 'Resume key' : 'Pause key'}
      onConfirm={async () => {
        await (paused ? resumeKey : pauseKey)(workspaceId, id);
        toast(`“${name}” is ${paused ? 'resumed' : 'paused'}.`);
        await onChanged();
      }}
    >
      <p>
        {paused ? 'Requests' : 'Until you resume the key, requests'} with the token{' '}
        <code className="text-ink">{hint}</code> {paused ? 'are accepted again.' : 'fail.'}
      </p>
      <LastUse workspaceId={workspaceId} apiKey={apiKey} />
    </Confirm>
  );
}
