import type { Member, Workspace } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { membersQuery, removeMember } from '../../api/members.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { toast } from '../../ui/toast/toast-store.ts';

export interface RemoveMemberProps {
  readonly workspace: Workspace;
  readonly member: Member;
  /** The person who asks. */
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
      toast(`${member.name} is removed.`);
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
        <p>You see nothing of this workspace from then on. An owner or admin can invite you again.</p>
      ) : (
        <p>
          {member.email} sees nothing of {workspace.name} from then on. Keys that {member.name} created go on
          working.
        </p>
      )}
    </Confirm>
  );
}
