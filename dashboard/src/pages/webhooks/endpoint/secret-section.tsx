import type { WebhookSecrets } from '@svc/service/webhooks/wire';
import { Eye, EyeOff, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../../api/failure.ts';
import {
  readWebhookSecret,
  rotateWebhookSecret,
  useWebhookAction,
  type WebhookId,
} from '../../../api/webhooks.ts';
import { When } from '../../../format/when.tsx';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { Confirm } from '../../../ui/popup/confirm.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { GuideLink } from '../guide-link.tsx';
import { SecretValue } from '../secret-value.tsx';

/** The secret of an endpoint. It is loaded when a person asks for it, and forgotten when they hide it. */
export function SecretSection({ id }: { readonly id: WebhookId }) {
  const [shown, setShown] = useState<WebhookSecrets | null>(null);
  const [rotating, setRotating] = useState(false);
  const read = useWebhookAction(id.workspaceId, {
    mutationFn: () => readWebhookSecret(id),
    gcTime: 0,
    onSuccess: setShown,
  });
  const hide = (): void => {
    setShown(null);
    read.reset();
  };
  const rotate = async (): Promise<void> => {
    setShown(await rotateWebhookSecret(id));
    toast('The endpoint has a new secret.');
  };
  return (
    <Section
      title="Secret"
      description={
        <>
          The key that signs the webhooks of this endpoint. <GuideLink>How to verify a signature</GuideLink>
        </>
      }
      actions={
        <div className="flex flex-wrap gap-2">
          {shown === null ? (
            <Button busy={read.isPending} onClick={() => void read.run()}>
              <Eye size={14} aria-hidden />
              Show secret
            </Button>
          ) : (
            <Button onClick={hide}>
              <EyeOff size={14} aria-hidden />
              Hide secret
            </Button>
          )}
          <Button onClick={() => setRotating(true)}>
            <RefreshCw size={14} aria-hidden />
            Rotate…
          </Button>
        </div>
      }
    >
      {read.error === null ? null : <Problem>{messageOf(read.error)}</Problem>}
      {shown === null ? (
        <p aria-hidden className="text-soft">
          whsec_••••••••••••••••
        </p>
      ) : (
        <div className="flex flex-col gap-3">
          <SecretValue secret={shown.secret} />
          {shown.previous === null ? null : (
            <div className="flex flex-col gap-1.5">
              <p className="text-sm text-soft">
                The previous secret also signs until <When at={shown.previous.until} form="full" />.
              </p>
              <SecretValue secret={shown.previous.secret} label="Copy previous secret" />
            </div>
          )}
        </div>
      )}
      {rotating ? (
        <Confirm
          open
          onOpenChange={setRotating}
          title="Rotate the secret?"
          action="Rotate secret"
          onConfirm={rotate}
        >
          <p>
            The endpoint gets a new secret. For 24 hours, each webhook has two signatures: one with the new
            secret and one with the present secret. Your receiver keeps working while you give it the new one.
          </p>
          <p>
            If you have rotated the secret in the last 24 hours, the secret before that stops signing now.
          </p>
        </Confirm>
      ) : null}
    </Section>
  );
}
