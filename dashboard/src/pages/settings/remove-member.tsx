import type { Member, Workspace } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { membersQuery, removeMember } from '../../api/members.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { toast } from '../../ui/toast/toast-store.ts';

export interface RemoveMemberProps {
  readonly workspace: Workspace;
  readonly member: Member;
  /** Whether the member is the signed-in person. */
  readonly own: boolean;
  readonly onClose: () => void;
}

export function RemoveMember({ workspace, member, own, onClose }: RemoveMemberProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async (): Promise<void> => {
    await removeMember(workspace.id, member.id);
    if (own) {
      await client.invalidateQueries({ queryKey: ['me'] });
      await navigate({ to: '/' });
      client.removeQueries({ queryKey: ['workspace', workspace.id] });
      toast(`You have left ${workspace.name}.`);
    } else {
      await client.invalidateQueries({ queryKey: membersQuery(workspace.id).queryKey });
      toast(`${member.name} was removed.`);
    }
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={own ? `Leave ${workspace.name}?` : `Remove ${member.name}?`}
      action={own ? 'Leave workspace' : 'Remove member'}
      dangerous
      onConfirm={remove}
    >
      {own ? (
        <p>You lose access to this workspace. An owner or admin can invite you again.</p>
      ) : (
        <p>
          {member.email} loses access to {workspace.name}. Keys that {member.name} created keep working.
        </p>
      )}
    </Confirm>
  );
}
