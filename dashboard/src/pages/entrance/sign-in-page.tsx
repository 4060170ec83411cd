import { getRouteApi } from '@tanstack/react-router';
import { useEnter } from '../../session/enter.ts';
import { useLinkToken } from '../../session/link-token.ts';
import { Entrance } from './entrance.tsx';
import { LinkSignIn } from './link-sign-in.tsx';
import { SignInForm } from './sign-in-form.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next } = route.useSearch();
  const token = useLinkToken();
  const enter = useEnter();
  return (
    <Entrance title="Sign in">
      {token === null ? (
        <SignInForm onSignedIn={() => enter(next)} />
      ) : (
        <LinkSignIn token={token} onSignedIn={() => enter(next)} />
      )}
    </Entrance>
  );
}
