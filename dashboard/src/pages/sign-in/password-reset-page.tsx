import type { PasswordResetOffer } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ApiFailure, messageOf } from '../../api/failure.ts';
import { forgetLinkToken, useLinkToken } from '../../session/link-token.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { LinkNeeded } from './link-needed.tsx';
import { NewPassword } from './new-password.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const TITLE = 'Set a new password';

/** Somebody has opened a reset link. */
export function PasswordResetPage() {
  const token = useLinkToken();
  const [done, setDone] = useState(false);
  const offer = useQuery({
    queryKey: ['password-reset', token],
    queryFn: () => call<PasswordResetOffer>('/password-reset/read', { method: 'POST', body: { token } }),
    enabled: token !== null,
    retry: false,
    gcTime: 0,
  });
  if (done) {
    return (
      <SignInFrame title="Your password is set">
        <div className="flex flex-col gap-4">
          <p role="status" className="text-soft">
            All your sessions have ended. Sign in with the new password.
          </p>
          <Link to="/sign-in" className={buttonClass('primary')}>
            Sign in
          </Link>
        </div>
      </SignInFrame>
    );
  }
  if (token === null) {
    return (
      <SignInFrame title={TITLE}>
        <LinkNeeded>Open the whole link that you were given.</LinkNeeded>
      </SignInFrame>
    );
  }
  if (offer.error !== null) {
    const passing = offer.error instanceof ApiFailure && offer.error.passing;
    return (
      <SignInFrame title={TITLE}>
        <div className="flex flex-col gap-4">
          <Problem>
            {passing ? messageOf(offer.error) : 'This link was used before or is too old. Ask for a new one.'}
          </Problem>
          {passing ? <Button onClick={() => void offer.refetch()}>Try again</Button> : null}
        </div>
      </SignInFrame>
    );
  }
  if (offer.data === undefined) {
    return (
      <SignInFrame title={TITLE}>
        <Skeleton className="h-24 w-full" />
      </SignInFrame>
    );
  }
  const finish = (): void => {
    forgetLinkToken();
    setDone(true);
  };
  return (
    <SignInFrame title={TITLE} description={`For ${offer.data.email}. All sessions end when it is set.`}>
      <NewPassword token={token} email={offer.data.email} onDone={finish} />
    </SignInFrame>
  );
}
