import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { messageOf } from '../../../api/failure.ts';
import { changeWebhook, useWebhookAction, type WebhookId } from '../../../api/webhooks.ts';
import { When } from '../../../format/when.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { focusMain, keptFocus } from '../../../ui/move-focus.ts';
import { Problem } from '../../../ui/problem.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { isDisabledByService, REASONS } from '../state.tsx';

export interface DisabledNoticeProps {
  readonly id: WebhookId;
  readonly endpoint: WebhookEndpoint;
}

const HOW_TO_CONTINUE =
  'Once enabled, it continues with the next event. To get earlier events that are still kept, use “Replay since…”.';

/** Says since when and why an endpoint is disabled, and enables it. */
export function DisabledNotice({ id, endpoint }: DisabledNoticeProps) {
  const enable = useWebhookAction(id.workspaceId, {
    mutationFn: () => changeWebhook(id, { enabled: true }),
    onSuccess: () => toast('The endpoint is enabled.'),
  });
  const run = async (): Promise<void> => {
    const used = document.activeElement;
    // The button disappears.
    if ((await enable.run()) && keptFocus(used)) focusMain();
  };
  const { disabled } = endpoint;
  if (disabled === null) return null;
  return (
    <section
      aria-label="Disabled"
      className={classes(
        'flex flex-wrap items-center justify-between gap-3 rounded-md px-4 py-3',
        isDisabledByService(endpoint) ? 'bg-bad-ground text-bad' : 'border border-line bg-sunken',
      )}
    >
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">This endpoint gets no events</p>
        <p className="text-sm">
          It was disabled on <When at={disabled.at} form="full" />. {REASONS[disabled.reason]}.
          {disabled.reason === 'expired' ? ` ${HOW_TO_CONTINUE}` : null}
        </p>
      </div>
      <Button busy={enable.isPending} onClick={() => void run()}>
        Enable
      </Button>
      {enable.error === null ? null : <Problem className="w-full">{messageOf(enable.error)}</Problem>}
    </section>
  );
}
