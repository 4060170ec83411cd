import type { IssuedInvitation } from '@svc/service/src/dashboard/wire.ts';
import { When } from '../../time/when.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

export interface InvitationLinkProps {
  readonly issued: IssuedInvitation;
  readonly onClose: () => void;
}

export const InvitationLink = ({ issued: { invitation, link }, onClose }: InvitationLinkProps) => (
  <Dialog open onOpenChange={onClose} title={`Invitation for ${invitation.email}`} dismissable={false}>
    <p className="text-soft">
      Hand this link on. Whoever opens it joins as {invitation.role}, so send it in a way that only the right
      person reads. It works once, until <When at={invitation.expiresAt} form="full" />, and is shown this
      once.
    </p>
    <code className="mt-4 block rounded-md border border-edge bg-sunken px-3 py-2 wrap-anywhere select-all">
      {link}
    </code>
    <DialogActions>
      <CopyButton text={link} label="Copy link" wide />
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    </DialogActions>
  </Dialog>
);
