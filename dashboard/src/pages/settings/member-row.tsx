import type { Role } from '@svc/service/dashboard/permissions';
import type { Member, Workspace } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { useMe } from '../../api/me.ts';
import { changeRole, membersQuery } from '../../api/members.ts';
import { When } from '../../format/when.tsx';
import { whyNot } from '../../session/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/form/select.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { ConfirmRole, needsQuestion } from './confirm-role.tsx';
import { LeaveWorkspace } from './leave-workspace.tsx';
import { RemoveMember } from './remove-member.tsx';
import { ResetPassword } from './reset-password.tsx';
import { roleOptions } from './role-options.ts';

export interface MemberRowProps {
  readonly workspace: Workspace;
  readonly member: Member;
}

export function MemberRow({ workspace, member }: MemberRowProps) {
  const client = useQueryClient();
  const { user } = useMe();
  const [removing, setRemoving] = useState(false);
  const [resetting, setResetting] = useState(false);
  // The chosen role, until the person confirms it.
  const [asked, setAsked] = useState<Role | null>(null);
  const own = member.userId === user.id;
  const change = useAction({
    mutationFn: (role: Role) => changeRole(workspace.id, member.id, role),
    onSuccess: async ({ name, role }) => {
      toast(`${name} is now ${role}.`);
      await client.invalidateQueries({ queryKey: membersQuery(workspace.id).queryKey });
      if (!own) return;
      await client.invalidateQueries({ queryKey: ['me'] });
      await client.invalidateQueries({ queryKey: ['workspace', workspace.id] });
    },
    onError: (error) => toast(messageOf(error), 'bad'),
  });
  const notMine =
    member.role === 'owner' && workspace.role !== 'owner' ? 'Only owners can change owners.' : undefined;
  const choose = (next: Role): void => {
    if (change.isPending) return;
    if (needsQuestion(own, next)) setAsked(next);
    else void change.run(next);
  };
  const role = asked ?? (change.isPending ? change.variables : undefined) ?? member.role;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-48">
        <div className="flex items-center gap-2">
          <span className="truncate font-medium">{member.name}</span>
          {own ? <Badge>You</Badge> : null}
          {member.secondFactor === undefined ? null : member.secondFactor ? (
            <Badge tone="good">Second factor</Badge>
          ) : (
            <Badge tone="warn">No second factor</Badge>
          )}
        </div>
        <div className="text-sm wrap-anywhere text-soft">
          {member.email} · Joined <When at={member.createdAt} form="date" />
          <LastSignIn at={member.lastSignedInAt} />
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {(whyNot(workspace.role, 'member.update') ?? notMine) === undefined ? (
          <Select
            aria-label={`Role of ${member.name}`}
            className="w-28"
            value={role}
            // With `disabled`, it would lose the focus.
            aria-disabled={change.isPending || undefined}
            onChange={({ target }) => choose(target.value as Role)}
            options={roleOptions(workspace.role)}
          />
        ) : (
          <span className="px-2 text-soft capitalize">{role}</span>
        )}
        {!own && member.role !== 'owner' && whyNot(workspace.role, 'account.recover') === undefined ? (
          <Button
            variant="ghost"
            aria-label={`Reset password of ${member.name}`}
            onClick={() => setResetting(true)}
          >
            Reset password
          </Button>
        ) : null}
        <Button
          variant="ghost"
          blocked={own ? undefined : (whyNot(workspace.role, 'member.delete') ?? notMine)}
          onClick={() => setRemoving(true)}
        >
          {own ? 'Leave' : 'Remove'}
        </Button>
      </div>
      {asked === null ? null : (
        <ConfirmRole
          workspace={workspace}
          member={member}
          own={own}
          role={asked}
          onConfirm={() => change.run(asked)}
          onClose={() => setAsked(null)}
        />
      )}
      {resetting ? (
        <ResetPassword workspaceId={workspace.id} member={member} onClose={() => setResetting(false)} />
      ) : null}
      {!removing ? null : own ? (
        <LeaveWorkspace workspace={workspace} onClose={() => setRemoving(false)} />
      ) : (
        <RemoveMember workspace={workspace} member={member} onClose={() => setRemoving(false)} />
      )}
    </li>
  );
}

/** Undefined: the person who looks may not see it. */
const LastSignIn = ({ at }: { readonly at: string | null | undefined }) =>
  at === undefined ? null : at === null ? (
    ' · Never signed in'
  ) : (
    <>
      {' · Last sign-in '}
      <When at={at} />
    </>
  );
