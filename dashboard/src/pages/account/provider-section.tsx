import type { ProviderAddress } from '@svc/service/dashboard/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { methodsQuery, providerQuery } from '../../api/provider.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { PasswordStep } from './password-step.tsx';

/** Says how the person signs in, and connects the account to the OpenID Connect provider, if there is one. */
export function ProviderSection() {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [sending, setSending] = useState(false);
  const provider = useQuery({ ...providerQuery, retry: false }).data?.provider ?? null;
  const methods = useQuery(methodsQuery).data;
  if (provider === null || methods === undefined) return null;
  const { name } = provider;
  const connected = methods.providerSince !== null;
  const close = (): void => setAsking(false);
  const disconnected = async (): Promise<void> => {
    close();
    toast(`Your account is no longer connected to ${name}.`);
    await client.invalidateQueries({ queryKey: ['sign-in-methods'] });
  };
  return (
    <Section title={`Sign-in with ${name}`} description={stateOf(name, connected, methods.password)}>
      {methods.password ? (
        <div>
          <Button onClick={() => setAsking(true)}>
            {connected ? `Disconnect ${name}` : `Connect ${name}`}
          </Button>
        </div>
      ) : null}
      {asking ? (
        <Dialog
          open
          onOpenChange={close}
          title={connected ? `Disconnect ${name}` : `Connect ${name}`}
          description={
            connected
              ? 'You will sign in with only your password.'
              : `You will sign in at ${name}, and can then sign in with it instead of your password.`
          }
          dismissable={!sending}
        >
          {connected ? (
            <PasswordStep
              path="/auth/openid/disconnect"
              action="Disconnect"
              dangerous
              onDone={disconnected}
              onSending={setSending}
              onCancel={close}
            />
          ) : (
            <PasswordStep<ProviderAddress>
              path="/auth/openid/connect"
              action="Continue"
              onDone={({ url }) => location.assign(url)}
              onSending={setSending}
              onCancel={close}
            />
          )}
        </Dialog>
      ) : null}
    </Section>
  );
}

function stateOf(name: string, connected: boolean, password: boolean): string {
  if (!connected) return 'You sign in with your password.';
  return password
    ? `You sign in with your password or with ${name}.`
    : `You sign in with ${name}. Your account has no password; an owner of your workspace can create a link to set one.`;
}
