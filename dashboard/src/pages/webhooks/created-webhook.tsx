import type { CreatedEndpoint } from '@svc/service/webhooks/wire';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { GuideLink } from './guide-link.tsx';
import { SecretValue } from './secret-value.tsx';

export interface CreatedDialogProps {
  readonly workspaceId: string;
  readonly created: CreatedEndpoint;
  readonly onClose: () => void;
}

/** Shows the secret of a new endpoint. The page of the endpoint shows it later too, so the dialog may be closed. */
export function CreatedDialog({ workspaceId, created: { endpoint, secret }, onClose }: CreatedDialogProps) {
  const navigate = useNavigate();
  const open = (): void => {
    onClose();
    void navigate({
      to: '/w/$workspaceId/webhooks/$endpointId',
      params: { workspaceId, endpointId: endpoint.id },
    });
  };
  return (
    <Dialog open onOpenChange={onClose} title="The endpoint is created" wide>
      {secret === null ? (
        <p className="text-soft">
          Each webhook is signed with the secret of the endpoint. The page of the endpoint shows it.
        </p>
      ) : (
        <>
          <p className="mb-3 text-soft">
            Each webhook is signed with this secret. Your receiver needs it to verify that a webhook comes
            from this service. The page of the endpoint shows it again.
          </p>
          <SecretValue secret={secret} />
        </>
      )}
      <p className="mt-3">
        <GuideLink>How to verify a signature</GuideLink>
      </p>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button variant="primary" onClick={open}>
          Open the endpoint
        </Button>
      </DialogActions>
    </Dialog>
  );
}
