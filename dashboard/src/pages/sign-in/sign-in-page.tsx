import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { setUpQuery } from '../../api/set-up.ts';
import { serviceUrl } from '../../base.ts';
import { siteHref, useCompleteSignIn } from '../../session/complete-sign-in.ts';
import { useLinkToken } from '../../session/link-token.ts';
import { forgetProviderAnswer, providerAnswer } from '../../session/provider-answer.ts';
import { useEndReason } from '../../session/session-end.ts';
import { wasSignedIn } from '../../session/signed-in-hint.ts';
import { Button } from '../../ui/button.tsx';
import { LinkSignIn } from './link-sign-in.tsx';
import { ProviderButton } from './provider-button.tsx';
import { ProviderReturn } from './provider-return.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const NOT_SET_UP =
  'This service has no owner yet. It printed a link on its console when it started: open that link to set it up.';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next } = route.useSearch();
  const token = useLinkToken();
  const completeSignIn = useCompleteSignIn();
  const reason = useEndReason();
  const [answer, setAnswer] = useState(providerAnswer);
  const finishSignIn = (to: string): Promise<void> => {
    forgetProviderAnswer();
    return completeSignIn(to);
  };
  const restart = (): void => {
    forgetProviderAnswer();
    setAnswer(null);
  };
  const [hinted] = useState(wasSignedIn);
  const session = useQuery({ ...sessionQuery, enabled: hinted, retry: false });
  const person = hinted && token === null && answer === null ? session.data?.user.email : undefined;
  const state = useQuery({ ...setUpQuery, retry: false }).data;
  const router = useRouter();
  const signedIn = person !== undefined && reason === null;
  useEffect(() => {
    if (signedIn) void router.navigate({ href: siteHref(next), replace: true });
  }, [signedIn, router, next]);
  return (
    <SignInFrame title="Sign in">
      {reason === null ? null : <Note>{reason}</Note>}
      {/* Somebody else has signed in in another tab. */}
      {person === undefined ? null : (
        <Button className="mb-4" onClick={() => location.replace(serviceUrl() + siteHref(next))}>
          Continue as {person}
        </Button>
      )}
      {state?.done === false ? <Note>{NOT_SET_UP}</Note> : null}
      {answer !== null ? (
        <ProviderReturn answer={answer} onSignedIn={finishSignIn} onRestart={restart} />
      ) : token === null ? (
        <>
          <SignInForm onSignedIn={() => completeSignIn(next)} />
          <ProviderButton next={next} />
        </>
      ) : (
        <LinkSignIn token={token} onSignedIn={() => completeSignIn(next)} />
      )}
    </SignInFrame>
  );
}

/** What a visitor has to know before the sign-in. Screen readers announce it. */
const Note = ({ children }: { readonly children: string }) => (
  <p role="status" className="mb-4 rounded-md bg-warn-ground px-3 py-2 text-warn">
    {children}
  </p>
);
