import type { Member } from '@svc/service/dashboard/wire';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { createResetLink } from '../../api/members.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { OneTimeLink } from './one-time-link.tsx';
import type { WorkspaceProps } from './props.ts';

export interface ResetPasswordProps extends WorkspaceProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Creates a one-time link that sets a new password: there need be no mail server. */
export function ResetPassword({ workspaceId, member, onClose }: ResetPasswordProps) {
  const create = useAction({
    mutationFn: () => createResetLink(workspaceId, member.id),
    gcTime: 0,
  });
  if (create.data !== undefined) {
    const { email, link, expiresAt } = create.data;
    return (
      <OneTimeLink title={`Reset link for ${email}`} link={link} expiresAt={expiresAt} onClose={onClose}>
        Send this link in a way that only {member.name} can read: anyone who opens it can set the password.
      </OneTimeLink>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Reset the password of ${member.name}?`}
      description={`You get a one-time link to share. ${member.email} sets a new password with it. All sessions of ${member.name} then end. A second factor stays.`}
    >
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
