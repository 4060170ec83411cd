import type { IssuedInvitation } from '@svc/service/src/dashboard/wire.ts';
import { When } from '../../time/when.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';

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
    <Dialog open onOpenChange={onClose} title={`Invitation for ${invitation.email}`} dismissable={false}>
      <ShownOnce what="The link" />
      <p className="text-soft">
        Share this link. Anyone who opens it joins as {invitation.role}, so send it in a way that only the
        right person can read. It works once, until <When at={invitation.expiresAt} form="full" />, and is
        shown only once.
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
