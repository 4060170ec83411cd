import { getRouteApi } from '@tanstack/react-router';
import { useCompleteSignIn } from '../../session/complete-sign-in.ts';
import { useLinkToken } from '../../session/link-token.ts';
import { LinkSignIn } from './link-sign-in.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next } = route.useSearch();
  const token = useLinkToken();
  const completeSignIn = useCompleteSignIn();
  return (
    <SignInFrame title="Sign in">
      {token === null ? (
        <SignInForm onSignedIn={() => completeSignIn(next)} />
      ) : (
        <LinkSignIn token={token} onSignedIn={() => completeSignIn(next)} />
      )}
    </SignInFrame>
  );
}
