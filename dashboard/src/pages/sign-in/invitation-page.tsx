import type { InvitationOffer } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { ApiFailure, messageOf } from '../../api/failure.ts';
import { useLinkToken } from '../../session/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Join } from './join.tsx';
import { LinkNeeded } from './link-needed.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

/** Somebody was invited and has opened the link. */
export function InvitationPage() {
  const token = useLinkToken();
  const offer = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call<InvitationOffer>('/invitations/read', { method: 'POST', body: { token } }),
    enabled: token !== null,
    gcTime: 0,
  });
  if (token === null) {
    return (
      <SignInFrame title="Join a workspace">
        <LinkNeeded>Open the whole link that you were given.</LinkNeeded>
      </SignInFrame>
    );
  }
  if (offer.error !== null) {
    const passing = offer.error instanceof ApiFailure && offer.error.passing;
    return (
      <SignInFrame title="Join a workspace">
        <div className="flex flex-col gap-4">
          <Problem>
            {passing
              ? messageOf(offer.error)
              : 'This invitation was accepted or withdrawn, or is too old. Ask for a new link.'}
          </Problem>
          {passing ? <Button onClick={() => void offer.refetch()}>Try again</Button> : null}
        </div>
      </SignInFrame>
    );
  }
  if (offer.data === undefined) {
    return (
      <SignInFrame title="Join a workspace">
        <Skeleton className="h-24 w-full" />
      </SignInFrame>
    );
  }
  const { workspaceName, email, role } = offer.data;
  return (
    <SignInFrame title={`Join ${workspaceName}`} description={`${email} is invited as ${role}.`}>
      <Join token={token} offer={offer.data} />
    </SignInFrame>
  );
}
