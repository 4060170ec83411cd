import type { ProviderSignIn } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useEffect } from 'react';
import { call } from '../../api/client.ts';
import { type ProviderAnswer, providerAnswer } from '../../session/provider-answer.ts';
import { Button } from '../../ui/button.tsx';
import { ProviderProblem } from './provider-problem.tsx';
import { SecondStep } from './second-step.tsx';

export interface ProviderReturnProps {
  readonly answer: ProviderAnswer;
  /** Called when the session exists, with the page to open. */
  readonly onSignedIn: (next: string) => Promise<unknown>;
  /** Called to return to the sign-in form. */
  readonly onRestart: () => void;
}

/** Finishes a sign-in with the answer of the provider, which works once. */
export function ProviderReturn({ answer, onSignedIn, onRestart }: ProviderReturnProps) {
  // A query, not a mutation started by an effect: it sends the answer once, however often this component renders.
  const { data, error } = useQuery({
    queryKey: ['provider-answer', answer.state],
    queryFn: () => call<ProviderSignIn>('/auth/openid/finish', { method: 'POST', body: answer }),
    // Completing the sign-in forgets the answer and all queries. Until the next page is shown, nothing is sent again.
    enabled: providerAnswer() !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const second = data?.twoFactorRedirect === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the session exists
  useEffect(() => {
    if (data !== undefined && !second) void onSignedIn(data.next);
  }, [data]);
  if (data !== undefined && second) {
    return <SecondStep onSignedIn={() => onSignedIn(data.next)} onRestart={onRestart} />;
  }
  if (error !== null) {
    return (
      <div className="flex flex-col gap-4">
        <ProviderProblem error={error} />
        <Button variant="primary" onClick={onRestart}>
          Start again
        </Button>
      </div>
    );
  }
  return (
    <p role="status" className="flex items-center gap-2 text-soft">
      <LoaderCircle size={16} aria-hidden className="animate-spin" />
      Signing in…
    </p>
  );
}
