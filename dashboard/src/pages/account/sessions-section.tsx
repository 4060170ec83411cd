import type { SessionOfList } from '@svc/service/dashboard/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { messageOf } from '../../api/failure.ts';
import { sessionQuery, sessionsQuery } from '../../api/session.ts';
import { When } from '../../format/when.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { focusMain, focusNextItem, keptFocus } from '../../ui/move-focus.ts';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { browserName } from './browser-name.ts';

/** The sessions of the person, each with a button to end it. */
export function SessionsSection() {
  const current = useQuery(sessionQuery).data?.session.id;
  const { data, error, refetch } = useQuery(sessionsQuery);
  const endOthers = useEnding(
    () => call('/auth/revoke-other-sessions', { method: 'POST' }),
    'You are signed out everywhere else.',
  );
  const signOutOthers = async (): Promise<void> => {
    const used = document.activeElement;
    // The button disappears.
    if ((await endOthers.run()) && keptFocus(used)) focusMain();
  };
  const others = data?.filter(({ id }) => id !== current) ?? [];
  const rank = ({ id, updatedAt }: SessionOfList): number =>
    id === current ? Number.POSITIVE_INFINITY : Date.parse(updatedAt);
  // Hide the session at once. If it could not be ended, it comes back with the reason.
  const shown = endOthers.isPending ? data?.filter(({ id }) => id === current) : data;
  const sorted = [...(shown ?? [])].sort((a, b) => rank(b) - rank(a));
  return (
    <Section
      title="Sessions"
      description="Browsers that are signed in to your account. After seven days without use, a session ends."
      flush
      actions={
        others.length === 0 ? null : (
          <Button size="small" busy={endOthers.isPending} onClick={() => void signOutOthers()}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {error !== null && data === undefined ? (
        <FailureState error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={2} columns={2} />
      ) : (
        <ul className="divide-y divide-line">
          {sorted.map((session) => (
            <SessionRow key={session.id} session={session} current={session.id === current} />
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Ends sessions, then reads the list again and shows the message. */
function useEnding(end: () => Promise<unknown>, done: string) {
  const client = useQueryClient();
  return useAction({
    mutationFn: end,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sessions'] });
      toast(done);
    },
    onError: (failure) => toast(messageOf(failure), 'bad'),
  });
}

interface SessionRowProps {
  readonly session: SessionOfList;
  readonly current: boolean;
}

function SessionRow({ session: { id, userAgent, ipAddress, createdAt }, current }: SessionRowProps) {
  const end = useEnding(
    () => call('/auth/revoke-session', { method: 'POST', body: { id } }),
    'Session ended.',
  );
  if (end.isPending) return null;
  return (
    <li className="flex items-center gap-4 px-4 py-3">
      <div className="min-w-0 grow">
        <div className="flex flex-wrap items-center gap-2 font-medium">
          {browserName(userAgent)}
          {current ? <Badge tone="good">This browser</Badge> : null}
        </div>
        <div className="text-sm text-soft">
          {ipAddress === null ? null : `${ipAddress} · `}
          Signed in <When at={createdAt} />
        </div>
      </div>
      {current ? null : (
        <Button
          size="small"
          onClick={({ currentTarget }) => {
            focusNextItem(currentTarget);
            void end.run();
          }}
        >
          Sign out
        </Button>
      )}
    </li>
  );
}
