import type { Invitation } from '@svc/service/dashboard/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { invitationsQuery, withdrawInvitation } from '../../api/members.ts';
import { When } from '../../format/when.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { focusNextItem } from '../../ui/move-focus.ts';
import { toast } from '../../ui/toast/toast-store.ts';

const TITLE = 'Pending invitations';

/** Invitations that nobody has accepted yet. Renders nothing if there are none. */
export function PendingInvitations({ workspaceId }: { readonly workspaceId: string }) {
  const { data, error, refetch } = useQuery(invitationsQuery(workspaceId));
  if (error !== null && data === undefined) {
    return (
      <Section title={TITLE} flush>
        <FailureState error={error} retry={() => void refetch()} />
      </Section>
    );
  }
  const pending = data?.data ?? [];
  if (pending.length === 0) return null;
  return (
    <Section title={TITLE} flush>
      <ul className="divide-y divide-line">
        {pending.map((invitation) => (
          <PendingInvitation key={invitation.id} workspaceId={workspaceId} invitation={invitation} />
        ))}
      </ul>
    </Section>
  );
}

interface PendingInvitationProps {
  readonly workspaceId: string;
  readonly invitation: Invitation;
}

function PendingInvitation({ workspaceId, invitation }: PendingInvitationProps) {
  const { id, email, role, expiresAt } = invitation;
  const client = useQueryClient();
  const withdraw = useAction({
    mutationFn: () => withdrawInvitation(workspaceId, id),
    onSuccess: async () => {
      toast('Invitation withdrawn. Its link no longer works.');
      await client.invalidateQueries({ queryKey: invitationsQuery(workspaceId).queryKey });
    },
    onError: (error) => toast(messageOf(error), 'bad'),
  });
  // Hide the invitation at once. If it could not be withdrawn, it comes back with the reason.
  if (withdraw.isPending) return null;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow basis-48">
        <div className="truncate font-medium">{email}</div>
        <div className="text-sm text-soft">
          as {role} · expires on <When at={expiresAt} form="full" />
        </div>
      </div>
      <Button
        size="small"
        onClick={({ currentTarget }) => {
          focusNextItem(currentTarget);
          void withdraw.run();
        }}
      >
        Withdraw
      </Button>
    </li>
  );
}
