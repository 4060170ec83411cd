import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '../../api/failure.ts';
import { invitationsQuery, withdrawInvitation } from '../../api/members.ts';
import { When } from '../../time/when.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { WorkspaceProps } from './props.ts';

/** Links that nobody has used yet; nothing at all when there is none. */
export function PendingInvitations({ workspaceId }: WorkspaceProps) {
  const client = useQueryClient();
  const { queryKey } = invitationsQuery(workspaceId);
  const { data } = useQuery(invitationsQuery(workspaceId));
  const withdraw = useMutation({
    mutationFn: (id: string) => withdrawInvitation(workspaceId, id),
    onSuccess: async () => {
      toast('The invitation is withdrawn; its link does not work any more.');
      await client.invalidateQueries({ queryKey });
    },
    onError: (error) => toast(messageOf(error), 'bad'),
  });
  // Gone at once; one that could not be withdrawn is back with the reason.
  const pending = data?.data.filter(({ id }) => !withdraw.isPending || withdraw.variables !== id) ?? [];
  if (pending.length === 0) return null;
  return (
    <Section title="Pending invitations" flush>
      <ul className="divide-y divide-line">
        {pending.map(({ id, email, role, expiresAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-0 grow basis-48">
              <div className="truncate font-medium">{email}</div>
              <div className="text-sm text-soft">
                as {role} · link works until <When at={expiresAt} form="full" />
              </div>
            </div>
            <Button size="small" onClick={() => withdraw.mutate(id)}>
              Withdraw
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
