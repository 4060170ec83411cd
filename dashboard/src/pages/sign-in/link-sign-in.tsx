import { useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect } from 'react';
import { call } from '../../api/client.ts';
import { forgetLinkToken } from '../../session/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { LinkFailure } from './one-time-link.tsx';

export interface LinkSignInProps {
  readonly token: string;
  readonly onSignedIn: () => Promise<unknown>;
}

/** Signs in with the token of a sign-in link, which works once. */
export function LinkSignIn({ token, onSignedIn }: LinkSignInProps) {
  // A query, not a mutation started by an effect: it sends the token once, however often this component renders.
  const { error, isSuccess, refetch } = useQuery({
    queryKey: ['sign-in-link', token],
    queryFn: () => call<{ userId: string }>('/sign-in-link', { method: 'POST', body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the session exists
  useEffect(() => {
    if (isSuccess) void onSignedIn();
  }, [isSuccess]);
  if (error === null) {
    return (
      <p role="status" className="flex items-center gap-2 text-soft">
        <LoaderCircle size={16} aria-hidden className="animate-spin" />
        Signing in…
      </p>
    );
  }
  return (
    <LinkFailure error={error} onRetry={() => void refetch()}>
      <Button variant="primary" onClick={forgetLinkToken}>
        Sign in with a password
      </Button>
    </LinkFailure>
  );
}
