import type { Role } from '@svc/service/dashboard/permissions';
import type { Member, Workspace } from '@svc/service/dashboard/wire';
import { Confirm } from '../../ui/popup/confirm.tsx';

export interface ConfirmRoleProps {
  readonly workspace: Workspace;
  readonly member: Member;
  readonly own: boolean;
  readonly role: Role;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Whether a change of a role needs a question: the person cannot take it back, or the member gets every right. */
export const needsQuestion = (own: boolean, role: Role): boolean => own || role === 'owner';

/** Asks before a member becomes an owner, and before a person changes the own role. */
export const ConfirmRole = ({ workspace, member, own, role, onConfirm, onClose }: ConfirmRoleProps) => (
  <Confirm
    open
    onOpenChange={onClose}
    title={own ? `Change your own role to ${role}?` : `Make ${member.name} an owner?`}
    action={own ? 'Change my role' : 'Make owner'}
    dangerous={own}
    onConfirm={onConfirm}
  >
    {own ? (
      <p>
        You lose what the role {member.role} allows in {workspace.name}.{' '}
        {member.role === 'owner'
          ? 'Only another owner can give it back to you.'
          : 'Only an owner or another admin can give it back to you.'}
      </p>
    ) : (
      <p>
        An owner can do everything in {workspace.name}: also delete it, and change or remove other owners,
        including you.
      </p>
    )}
  </Confirm>
);
