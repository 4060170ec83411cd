import { EMAIL_MAX_CHARACTERS, NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import type { Me } from '@svc/service/dashboard/wire';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { useMe } from '../../api/me.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useTyped } from '../../ui/form/typed.ts';
import { toast } from '../../ui/toast/toast-store.ts';
import { PasswordField } from '../sign-in/password-field.tsx';

/** The own name and email address. A new address needs the password. */
export function ProfileSection() {
  const client = useQueryClient();
  const { user } = useMe();
  const [name, setName] = useTyped(user.name);
  const [email, setEmail] = useTyped(user.email);
  const [currentPassword, setCurrentPassword] = useState('');
  const moves = email !== user.email;
  const change = useAction({
    mutationFn: () =>
      call<Me['user']>('/me', {
        method: 'PATCH',
        body: { ...(name === user.name ? {} : { name }), ...(moves ? { email, currentPassword } : {}) },
      }),
    onSuccess: async (saved) => {
      setEmail(saved.email);
      setCurrentPassword('');
      toast('Saved.');
      await client.invalidateQueries({ queryKey: ['me'] });
      await client.invalidateQueries({ queryKey: ['session'] });
    },
  });
  const unchanged = name === user.name && !moves ? 'There are no changes to save.' : undefined;
  return (
    <Section
      title="Profile"
      description="Other members see your name and email address. You sign in with the address. No mail is sent to it."
    >
      <Form
        action={change}
        repeatable
        fields={['name', 'email', 'currentPassword']}
        unsaved={unchanged === undefined}
        actions={
          <div>
            <Button type="submit" busy={change.isPending} blocked={unchanged}>
              Save
            </Button>
          </div>
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Name"
            required
            maxLength={NAME_MAX_CHARACTERS}
            autoComplete="name"
            value={name}
            onChange={setName}
            error={fieldError(change.error, 'name')}
          />
          <TextField
            label="Email address"
            type="email"
            required
            maxLength={EMAIL_MAX_CHARACTERS}
            autoComplete="email"
            value={email}
            onChange={setEmail}
            error={fieldError(change.error, 'email')}
          />
        </div>
        {moves ? (
          <PasswordField
            label="Your password, to change the address"
            value={currentPassword}
            onChange={setCurrentPassword}
          />
        ) : null}
      </Form>
    </Section>
  );
}
