import type { InvitationOffer } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useLinkToken } from '../../session/link-token.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Join } from './join.tsx';
import { LinkFailure, LinkNeeded } from './one-time-link.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

/** The page that an invitation link opens. */
export function InvitationPage() {
  const token = useLinkToken();
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call<InvitationOffer>('/invitations/read', { method: 'POST', body: { token } }),
    enabled: token !== null,
    gcTime: 0,
  });
  if (token !== null && data !== undefined) {
    const { workspaceName, email, role } = data;
    return (
      <SignInFrame title={`Join ${workspaceName}`} description={`${email} is invited as ${role}.`}>
        <Join token={token} offer={data} />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title="Join a workspace">
      {token === null ? (
        <LinkNeeded>Open the full link from your invitation.</LinkNeeded>
      ) : error !== null ? (
        <LinkFailure
          error={error}
          onRetry={() => void refetch()}
          invalid="This invitation was accepted or withdrawn, or it has expired. Ask for a new link."
        />
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
    </SignInFrame>
  );
}
