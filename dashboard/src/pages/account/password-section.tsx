import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../api/action.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { Form } from '../../ui/form/form.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { NewPasswordField, PasswordField } from '../sign-in/password-field.tsx';

export function PasswordSection() {
  const client = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [revokeOtherSessions, setRevokeOtherSessions] = useState(true);
  const change = useAction({
    mutationFn: () =>
      call('/auth/change-password', {
        method: 'POST',
        body: { currentPassword, newPassword, revokeOtherSessions },
      }),
    onSuccess: async () => {
      setCurrentPassword('');
      setNewPassword('');
      toast(
        revokeOtherSessions ? 'Password changed. You are signed out everywhere else.' : 'Password changed.',
      );
      await client.invalidateQueries({ queryKey: ['session'] });
      await client.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <Section title="Password" description="The password that you sign in with.">
      <Form
        action={change}
        repeatable
        fields={[]}
        unsaved={false}
        actions={
          <div>
            <Button type="submit" busy={change.isPending}>
              Change password
            </Button>
          </div>
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <PasswordField label="Current password" value={currentPassword} onChange={setCurrentPassword} />
          <NewPasswordField label="New password" value={newPassword} onChange={setNewPassword} />
        </div>
        <Checkbox checked={revokeOtherSessions} onChange={setRevokeOtherSessions}>
          Sign out everywhere else
        </Checkbox>
      </Form>
    </Section>
  );
}
