import { INVITATION_HOURS } from '@svc/service/dashboard/limits';
import type { Role } from '@svc/service/dashboard/permissions';
import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { newIdempotencyKey, useIdempotencyKey } from '../../api/idempotency-key.ts';
import { invitationsQuery, invite } from '../../api/members.ts';
import { useDraft } from '../../session/draft.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { Select } from '../../ui/form/select.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../ui/popup/leave-question.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { roleOptions } from './role-options.ts';

const INVITATION_DAYS = INVITATION_HOURS / 24;

export interface InviteDialogProps {
  readonly workspaceId: string;
  /** Role of the person who invites. */
  readonly role: Role;
  readonly onClose: () => void;
}

/** Creates an invitation link to share, because there may be no mail server. */
export function InviteDialog({ workspaceId, role: own, onClose }: InviteDialogProps) {
  const client = useQueryClient();
  const [draft, setDraft] = useDraft('invitation', { email: '', role: 'viewer' as Role });
  const { email, role } = draft;
  const idempotencyKey = useIdempotencyKey();
  const send = useAction({
    mutationFn: (key: string) => invite(workspaceId, draft, key),
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: invitationsQuery(workspaceId).queryKey }),
  });
  if (send.data !== undefined) {
    const again = (): void => void send.run(newIdempotencyKey());
    return <InvitationLink issued={send.data} onAgain={again} onClose={onClose} />;
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Invite a member"
      description={`You get a link to share. It works once, for this address, and expires after ${INVITATION_DAYS} days.`}
    >
      <Form
        action={{ run: () => send.run(idempotencyKey), error: send.error }}
        fields={['email', 'role']}
        unsaved={email !== ''}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" busy={send.isPending}>
              Create link
            </Button>
          </DialogActions>
        }
      >
        {send.isPending ? (
          <LeaveQuestion allowsSignIn>The link is being created. It is shown only once.</LeaveQuestion>
        ) : null}
        <TextField
          label="Email address"
          type="email"
          required
          autoFocus
          autoComplete="off"
          value={email}
          onChange={(next) => setDraft({ ...draft, email: next })}
          error={fieldError(send.error, 'email')}
        />
        <Field label="Role" error={fieldError(send.error, 'role')}>
          {(control) => (
            <Select
              {...control}
              value={role}
              onChange={({ target }) => setDraft({ ...draft, role: target.value as Role })}
              options={roleOptions(own)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}
