import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { membersQuery } from '../../api/members.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';
import { PendingInvitations } from './pending-invitations.tsx';
import { SecondFactorPolicy } from './second-factor-policy.tsx';

export interface MembersTabProps {
  readonly workspaceId: string;
  /** Whether the dialog that invites a member is open. */
  readonly inviting: boolean;
  readonly onInvite: (inviting: boolean) => void;
}

export function MembersTab({ workspaceId, inviting, onInvite }: MembersTabProps) {
  const workspace = useWorkspace(workspaceId);
  const members = useQuery(membersQuery(workspaceId));
  const blocked = whyNot(workspace.role, 'invitation.create');
  return (
    <div className="flex flex-col gap-5">
      <Section
        title="Members"
        description="Owners can do everything. Admins manage keys, records and members. Viewers can see records, keys and the log, but change nothing."
        flush
        actions={
          <Button variant="primary" blocked={blocked} onClick={() => onInvite(true)}>
            <UserPlus size={15} aria-hidden />
            Invite
          </Button>
        }
      >
        {members.error !== null && members.data === undefined ? (
          <FailureState error={members.error} retry={() => void members.refetch()} />
        ) : members.data === undefined ? (
          <SkeletonRows rows={3} columns={3} />
        ) : (
          <ul className="divide-y divide-line">
            {members.data.data.map((member) => (
              <MemberRow key={member.id} workspace={workspace} member={member} />
            ))}
          </ul>
        )}
      </Section>
      <SecondFactorPolicy
        workspaceId={workspaceId}
        without={members.data?.data.filter(({ secondFactor }) => secondFactor === false).length}
      />
      {blocked === undefined ? <PendingInvitations workspaceId={workspaceId} /> : null}
      {inviting && blocked === undefined ? (
        <InviteDialog workspaceId={workspaceId} role={workspace.role} onClose={() => onInvite(false)} />
      ) : null}
    </div>
  );
}
