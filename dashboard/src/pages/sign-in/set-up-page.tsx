import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call, send } from '../../api/client.ts';
import { setUpQuery } from '../../api/set-up.ts';
import { useCompleteSignIn } from '../../session/complete-sign-in.ts';
import { forgetLinkToken, useLinkToken } from '../../session/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { LinkFailure, LinkNeeded } from './one-time-link.tsx';
import { NewPasswordField } from './password-field.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const FIELDS = ['name', 'email', 'password', 'workspaceName'] as const;
const INVALID = 'This link has expired. Restart the service: it prints a new one.';
const EMPTY = { name: '', email: '', password: '', workspaceName: '' };

/** Sets up a new service: creates its owner and the first workspace. */
export function SetUpPage() {
  const token = useLinkToken();
  const completeSignIn = useCompleteSignIn();
  const [values, setValues] = useState(EMPTY);
  const state = useQuery({ ...setUpQuery, retry: false });
  const link = useQuery({
    queryKey: ['set-up-link', token],
    queryFn: async () => (await send('/set-up/read', { method: 'POST', body: { token } })).ok,
    enabled: token !== null && state.data?.done === false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const setUp = useAction({
    meta: { signsIn: true },
    mutationFn: () => call('/set-up', { method: 'POST', body: { token, ...values } }),
    onSuccess: () => completeSignIn(),
  });
  const done = state.data?.done === true;
  useEffect(() => {
    // The sign-in page would take the token for that of a sign-in link.
    if (done) forgetLinkToken();
  }, [done]);
  const failure = state.error ?? link.error;
  const retry = (): void => void (state.error === null ? link : state).refetch();
  // Set up meanwhile by this form, it would say that the link was used.
  const usable = link.isSuccess || setUp.isSuccess;
  if (token === null || done || !usable) {
    return (
      <SignInFrame title="Set up svc">
        {done ? (
          <LinkNeeded>This service is already set up: it has an owner.</LinkNeeded>
        ) : token === null ? (
          <LinkNeeded>
            Until there is an owner, the service prints a link to this page on its console when it starts.
            Open that link.
          </LinkNeeded>
        ) : failure !== null ? (
          <LinkFailure error={failure} onRetry={retry} invalid={INVALID} />
        ) : (
          <Skeleton className="h-24 w-full" />
        )}
      </SignInFrame>
    );
  }
  const field = (name: (typeof FIELDS)[number]) => ({
    value: values[name],
    onChange: (value: string) => setValues((known) => ({ ...known, [name]: value })),
    error: fieldError(setUp.error, name),
  });
  return (
    <SignInFrame
      title="Set up svc"
      description="You become the owner. Owners create API keys, set limits and invite members."
    >
      <Form
        action={setUp}
        fields={FIELDS}
        unsaved={false}
        actions={
          <Button type="submit" variant="primary" busy={setUp.isPending}>
            Set up
          </Button>
        }
      >
        <TextField
          {...field('name')}
          label="Your name"
          required
          maxLength={NAME_MAX_CHARACTERS}
          autoComplete="name"
        />
        <TextField {...field('email')} label="Email address" type="email" required autoComplete="username" />
        <NewPasswordField {...field('password')} />
        <TextField
          {...field('workspaceName')}
          label="First workspace"
          hint="A workspace has companies, their records and API keys. You can change the name later."
          required
          maxLength={NAME_MAX_CHARACTERS}
          autoComplete="organization"
        />
      </Form>
    </SignInFrame>
  );
}
