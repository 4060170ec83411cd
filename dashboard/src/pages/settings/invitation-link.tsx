import type { IssuedInvitation } from '@svc/service/dashboard/wire';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { OneTimeLink } from './one-time-link.tsx';

export interface InvitationLinkProps {
  readonly issued: IssuedInvitation;
  /** Called to invite the same person again. */
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

export const InvitationLink = ({ issued: { invitation, link }, onAgain, onClose }: InvitationLinkProps) =>
  link === null ? (
    <Dialog open onOpenChange={onClose} title={`${invitation.email} is invited, but the link was lost`}>
      <p className="text-soft">
        The first attempt created the invitation, but the response with the link did not arrive. The link
        cannot be shown again. Create a new link. The lost link then stops working.
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
      Share this link. Anyone who opens it can join as {invitation.role}, so send it only to this person.
    </OneTimeLink>
  );
