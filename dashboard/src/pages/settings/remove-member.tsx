import type { Member, Workspace } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { membersQuery, removeMember } from '../../api/members.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { toast } from '../../ui/toast/toast-store.ts';

export interface RemoveMemberProps {
  readonly workspace: Workspace;
  readonly member: Member;
  readonly onClose: () => void;
}

export function RemoveMember({ workspace, member, onClose }: RemoveMemberProps) {
  const client = useQueryClient();
  const remove = async (): Promise<void> => {
    await removeMember(workspace.id, member.id);
    await client.invalidateQueries({ queryKey: membersQuery(workspace.id).queryKey });
    toast(`${member.name} was removed.`);
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={`Remove ${member.name}?`}
      action="Remove member"
      dangerous
      onConfirm={remove}
    >
      <p>
        {member.email} loses access to {workspace.name}. Keys that {member.name} created keep working.
      </p>
    </Confirm>
  );
}
