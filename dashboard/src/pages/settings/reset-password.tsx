import type { Member } from '@svc/service/dashboard/wire';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { createResetLink } from '../../api/members.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../ui/popup/leave-question.tsx';
import { Problem } from '../../ui/problem.tsx';
import { OneTimeLink } from './one-time-link.tsx';

export interface ResetPasswordProps {
  readonly workspaceId: string;
  readonly member: Member;
  readonly onClose: () => void;
}

/** Creates a one-time link that sets a new password, because there may be no mail server. */
export function ResetPassword({ workspaceId, member, onClose }: ResetPasswordProps) {
  const create = useAction({
    mutationFn: () => createResetLink(workspaceId, member.id),
    gcTime: 0,
  });
  if (create.data !== undefined) {
    const { email, link, expiresAt } = create.data;
    return (
      <OneTimeLink title={`Reset link for ${email}`} link={link} expiresAt={expiresAt} onClose={onClose}>
        Share this link. Anyone who opens it can set the password, so send it only to {member.name}.
      </OneTimeLink>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Reset the password of ${member.name}?`}
      description={`You get a one-time link to share. It lets ${member.email} set a new password, which ends all sessions of ${member.name}. A second factor stays on.`}
    >
      {create.isPending ? (
        <LeaveQuestion allowsSignIn>The link is being created. It is shown only once.</LeaveQuestion>
      ) : null}
      {create.error === null ? null : <Problem>{messageOf(create.error)}</Problem>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" busy={create.isPending} onClick={() => void create.run()}>
          Create reset link
        </Button>
      </DialogActions>
    </Dialog>
  );
}
