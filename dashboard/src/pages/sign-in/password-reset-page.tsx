import type { PasswordResetOffer } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { forgetLinkToken, useLinkToken } from '../../session/link-token.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NewPassword } from './new-password.tsx';
import { LinkFailure, LinkNeeded } from './one-time-link.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const TITLE = 'Set a new password';

/** The page that a reset link opens. */
export function PasswordResetPage() {
  const token = useLinkToken();
  const [done, setDone] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['password-reset', token],
    queryFn: () => call<PasswordResetOffer>('/password-reset/read', { method: 'POST', body: { token } }),
    enabled: token !== null,
    retry: false,
    gcTime: 0,
  });
  if (done) return <PasswordSet />;
  if (token !== null && data !== undefined) {
    const finish = (): void => {
      forgetLinkToken();
      setDone(true);
    };
    return (
      <SignInFrame title={TITLE} description={`For ${data.email}. You will be signed out everywhere.`}>
        <NewPassword token={token} email={data.email} onDone={finish} />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={TITLE}>
      {token === null ? (
        <LinkNeeded>Open the full link that you received.</LinkNeeded>
      ) : error !== null ? (
        <LinkFailure error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
    </SignInFrame>
  );
}

const PasswordSet = () => (
  <SignInFrame title="Your password is set">
    <div className="flex flex-col gap-4">
      <p role="status" className="text-soft">
        You are signed out everywhere. Sign in with your new password. If you had connected a sign-in
        provider, you may have to connect it again on the page of your account.
      </p>
      <Link to="/sign-in" className={buttonClass('primary')}>
        Sign in
      </Link>
    </div>
  </SignInFrame>
);
