import { useState } from 'react';
import { replayWebhook, useWebhookAction } from '../../../api/webhooks.ts';
import { useTimeZone } from '../../../format/time-zone.ts';
import { LAST_MINUTE, timeOfWall } from '../../../format/wall-time.ts';
import { Button } from '../../../ui/button.tsx';
import { Form, fieldError } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import type { ReplayProps } from './replay-failed.tsx';
import { replayedText } from './replayed-text.ts';

export function ReplaySince({ id, onClose }: ReplayProps) {
  /** `2026-03-01T09:30`, in the viewer's zone. */
  const [since, setSince] = useState('');
  const zone = useTimeZone();
  const replay = useWebhookAction(id.workspaceId, {
    mutationFn: () => replayWebhook(id, { since: timeOfWall(since, zone) }),
    onSuccess: ({ replayed }) => {
      onClose();
      toast(replayedText(replayed));
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Replay since"
      description="The endpoint gets every event since a time again, with the same webhook-id, whether it was delivered or not."
    >
      <Form
        action={replay}
        fields={['since']}
        unsaved={false}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" busy={replay.isPending}>
              Replay
            </Button>
          </DialogActions>
        }
      >
        <TextField
          label="Since"
          hint={`In ${zone}, at most 30 days ago.`}
          type="datetime-local"
          max={LAST_MINUTE}
          required
          autoFocus
          value={since}
          onChange={setSince}
          error={fieldError(replay.error, 'since')}
        />
      </Form>
    </Dialog>
  );
}
