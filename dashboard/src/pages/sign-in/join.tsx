import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import type { InvitationOffer } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { useCompleteSignIn } from '../../session/complete-sign-in.ts';
import { rememberWorkspace } from '../../session/last-workspace.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { OtherSession } from './other-session.tsx';
import { NewPasswordField } from './password-field.tsx';
import { ProviderButton } from './provider-button.tsx';
import { SignInForm } from './sign-in-form.tsx';

export interface JoinProps {
  readonly token: string;
  readonly offer: InvitationOffer;
}

/** Accepts an invitation. A person without an account chooses a name and a password; others sign in first. */
export function Join({ token, offer: { email, hasAccount } }: JoinProps) {
  const completeSignIn = useCompleteSignIn();
  const session = useQuery(sessionQuery);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const join = async (account: object): Promise<void> => {
    const { workspaceId } = await call<{ workspaceId: string }>('/invitations/accept', {
      method: 'POST',
      body: { token, ...account },
    });
    rememberWorkspace(workspaceId);
    await completeSignIn();
  };
  const accept = useAction({
    meta: { signsIn: true },
    mutationFn: () => join(hasAccount ? {} : { name, password }),
  });
  // After the sign-in, the link is opened again. The token is only in the cookie of the sign-in meanwhile.
  const provider = <ProviderButton next={`/invitation#token=${token}`} newcomer={!hasAccount} />;
  if (session.isPending) return <Skeleton className="h-16 w-full" />;
  const other = session.data?.user.email;
  if (other !== undefined && other !== email) return <OtherSession own={other} invited={email} />;
  if (hasAccount && other === undefined) {
    return (
      <>
        <p className="mb-4 text-soft">You already have an account. Enter your password to join.</p>
        <SignInForm email={email} action="Sign in and join" onSignedIn={() => join({})} />
        {provider}
      </>
    );
  }
  return (
    <>
      <Form
        action={accept}
        fields={['name', 'password']}
        unsaved={false}
        actions={
          <Button type="submit" variant="primary" busy={accept.isPending}>
            Join
          </Button>
        }
      >
        {hasAccount ? null : (
          <>
            <TextField
              label="Your name"
              required
              autoFocus
              maxLength={NAME_MAX_CHARACTERS}
              autoComplete="name"
              value={name}
              onChange={setName}
              error={fieldError(accept.error, 'name')}
            />
            <NewPasswordField
              value={password}
              onChange={setPassword}
              error={fieldError(accept.error, 'password')}
            />
          </>
        )}
      </Form>
      {hasAccount ? null : provider}
    </>
  );
}
