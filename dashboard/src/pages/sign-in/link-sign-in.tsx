import { useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect } from 'react';
import { call } from '../../api/client.ts';
import { ApiFailure, messageOf } from '../../api/failure.ts';
import { forgetLinkToken } from '../../session/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';

export interface LinkSignInProps {
  readonly token: string;
  readonly onSignedIn: () => Promise<unknown>;
}

/** Uses a sign-in link up, once, without a further step. */
export function LinkSignIn({ token, onSignedIn }: LinkSignInProps) {
  // A query, not a mutation started by an effect: however often this is rendered, the token is sent once.
  const { error, isSuccess, refetch } = useQuery({
    queryKey: ['sign-in-link', token],
    queryFn: () => call<{ userId: string }>('/sign-in-link', { method: 'POST', body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the session is there
  useEffect(() => {
    if (isSuccess) void onSignedIn();
  }, [isSuccess]);
  if (error === null) {
    return (
      <p role="status" className="flex items-center gap-2 text-soft">
        <LoaderCircle size={16} aria-hidden className="animate-spin" />
        Signing in by the link…
      </p>
    );
  }
  const passing = error instanceof ApiFailure && error.passing;
  return (
    <div className="flex flex-col gap-4">
      <Problem>
        {passing ? messageOf(error) : 'This link was used before or is too old. Ask for a new one.'}
      </Problem>
      {passing ? <Button onClick={() => void refetch()}>Try again</Button> : null}
      <Button variant="primary" onClick={forgetLinkToken}>
        Sign in with a password
      </Button>
    </div>
  );
}
