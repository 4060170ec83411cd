import type { SessionOfList } from '@svc/service/src/dashboard/wire.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { messageOf } from '../../api/failure.ts';
import { sessionQuery, sessionsQuery } from '../../api/session.ts';
import { When } from '../../time/when.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast-store.ts';
import { browserName } from './browser-name.ts';

/** Where the person is signed in, and a way to end that. */
export function SessionsSection() {
  const client = useQueryClient();
  const current = useQuery(sessionQuery).data?.session.id;
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    /** Without an id: all but this one. */
    mutationFn: (id?: string) =>
      id === undefined
        ? call('/auth/revoke-other-sessions', { method: 'POST' })
        : call('/auth/revoke-session', { method: 'POST', body: { id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sessions'] });
      toast('Signed out there.');
    },
    onError: (failure) => toast(messageOf(failure), 'bad'),
  });
  const others = data?.filter(({ id }) => id !== current) ?? [];
  const rank = ({ id, updatedAt }: SessionOfList): number =>
    id === current ? Number.POSITIVE_INFINITY : Date.parse(updatedAt);
  /** At once; whoever could not be signed out is back with the reason. */
  const isEnding = (id: string): boolean =>
    end.isPending && id !== current && (end.variables === undefined || end.variables === id);
  const sorted = [...(data ?? [])].filter(({ id }) => !isEnding(id)).sort((a, b) => rank(b) - rank(a));
  return (
    <Section
      title="Sessions"
      description="The browsers in which you are signed in. One that is not used for seven days is signed out by itself."
      flush
      actions={
        others.length === 0 ? null : (
          <Button size="small" busy={end.isPending} onClick={() => end.mutate(undefined)}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {error !== null ? (
        <FailureState error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={2} columns={2} />
      ) : (
        <ul className="divide-y divide-line">
          {sorted.map((session) => (
            <li key={session.id} className="flex items-center gap-4 px-4 py-3">
              <div className="min-w-0 grow">
                <div className="flex flex-wrap items-center gap-2 font-medium">
                  {browserName(session.userAgent)}
                  {session.id === current ? <Badge tone="good">This browser</Badge> : null}
                </div>
                <div className="text-sm text-soft">
                  {session.ipAddress === null ? null : `${session.ipAddress} · `}
                  signed in <When at={session.createdAt} />
                </div>
              </div>
              {session.id === current ? null : (
                <Button size="small" onClick={() => end.mutate(session.id)}>
                  Sign out
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
