import type { Workspace } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { leaveWorkspace } from '../../api/members.ts';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { toast } from '../../ui/toast/toast-store.ts';

export interface LeaveWorkspaceProps {
  readonly workspace: Pick<Workspace, 'id' | 'name'>;
  readonly onClose: () => void;
}

/** Asks the signed-in person whether to leave the workspace, and leaves it. */
export function LeaveWorkspace({ workspace, onClose }: LeaveWorkspaceProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    await leaveWorkspace(workspace.id);
    await client.invalidateQueries({ queryKey: ['me'] });
    await navigate({ to: '/' });
    client.removeQueries({ queryKey: ['workspace', workspace.id] });
    toast(`You have left ${workspace.name}.`);
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={`Leave ${workspace.name}?`}
      action="Leave workspace"
      dangerous
      onConfirm={leave}
    >
      <p>You lose access to this workspace. An owner or admin can invite you again.</p>
    </Confirm>
  );
}
