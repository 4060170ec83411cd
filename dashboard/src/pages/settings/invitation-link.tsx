import type { IssuedInvitation } from '@svc/service/dashboard/wire';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { OneTimeLink } from './one-time-link.tsx';

export interface InvitationLinkProps {
  readonly issued: IssuedInvitation;
  /** Invites the same person again. */
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

export const InvitationLink = ({ issued: { invitation, link }, onAgain, onClose }: InvitationLinkProps) =>
  link === null ? (
    <Dialog open onOpenChange={onClose} title={`${invitation.email} is invited, the link is lost`}>
      <p className="text-soft">
        The invitation was created by the first attempt. Its link was in that response, which did not arrive,
        and cannot be shown again. Create a new link; the lost one then stops working.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Later</Button>
        <Button variant="primary" onClick={onAgain}>
          Create a new link
        </Button>
      </DialogActions>
    </Dialog>
  ) : (
    <OneTimeLink
      title={`Invitation for ${invitation.email}`}
      link={link}
      expiresAt={invitation.expiresAt}
      onClose={onClose}
    >
      Share this link. Anyone who opens it joins as {invitation.role}, so send it in a way that only the right
      person can read.
    </OneTimeLink>
  );
