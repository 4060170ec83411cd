import { NAME_MAX_CHARACTERS } from '@svc/service/src/dashboard/limits.ts';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { useEnter } from '../../session/enter.ts';
import { useLinkToken } from '../../session/link-token.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Entrance } from './entrance.tsx';
import { LinkNeeded } from './link-needed.tsx';
import { NewPasswordField } from './password-field.tsx';

const FIELDS = ['name', 'email', 'password', 'workspaceName'] as const;
const EMPTY = { name: '', email: '', password: '', workspaceName: '' };

/** The first minute of a new service: its owner and the first workspace. */
export function SetUpPage() {
  const token = useLinkToken();
  const enter = useEnter();
  const [values, setValues] = useState(EMPTY);
  const setUp = useAction({
    meta: { signsIn: true },
    mutationFn: () => call('/set-up', { method: 'POST', body: { token, ...values } }),
    onSuccess: () => enter(),
  });
  if (token === null) {
    return (
      <Entrance title="Set up svc">
        <LinkNeeded>
          The service prints a link for this page on its console when it starts, and until there is an owner.
          Open the whole link.
        </LinkNeeded>
      </Entrance>
    );
  }
  const field = (name: (typeof FIELDS)[number]) => ({
    value: values[name],
    onChange: (value: string) => setValues((known) => ({ ...known, [name]: value })),
    error: fieldError(setUp.error, name),
  });
  return (
    <Entrance
      title="Set up svc"
      description="You become the owner: you make API keys, set limits and invite others."
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
        <TextField {...field('email')} label="E-mail address" type="email" required autoComplete="username" />
        <NewPasswordField {...field('password')} />
        <TextField
          {...field('workspaceName')}
          label="First workspace"
          hint="Companies, their records and API keys live in a workspace. The name can be changed."
          required
          maxLength={NAME_MAX_CHARACTERS}
          autoComplete="organization"
        />
      </Form>
    </Entrance>
  );
}
