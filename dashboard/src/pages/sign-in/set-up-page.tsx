import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { useCompleteSignIn } from '../../session/complete-sign-in.ts';
import { useLinkToken } from '../../session/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { LinkNeeded } from './one-time-link.tsx';
import { NewPasswordField } from './password-field.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const FIELDS = ['name', 'email', 'password', 'workspaceName'] as const;
const EMPTY = { name: '', email: '', password: '', workspaceName: '' };

/** Sets up a new service: creates its owner and the first workspace. */
export function SetUpPage() {
  const token = useLinkToken();
  const completeSignIn = useCompleteSignIn();
  const [values, setValues] = useState(EMPTY);
  const setUp = useAction({
    meta: { signsIn: true },
    mutationFn: () => call('/set-up', { method: 'POST', body: { token, ...values } }),
    onSuccess: () => completeSignIn(),
  });
  if (token === null) {
    return (
      <SignInFrame title="Set up svc">
        <LinkNeeded>
          Until there is an owner, the service prints a link to this page on its console when it starts. Open
          that link.
        </LinkNeeded>
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
