import type { CreatedKey, IssuedKey } from '@svc/service/dashboard/wire';
import { TriangleAlert } from 'lucide-react';
import { useAction } from '../../api/action.ts';
import { messageOf } from '../../api/failure.ts';
import { rotateKey } from '../../api/keys.ts';
import { serviceUrl } from '../../base.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/popup/dialog.tsx';
import { LeaveQuestion } from '../../ui/popup/leave-question.tsx';
import { ShownOnce } from '../../ui/popup/shown-once.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { snippets } from './snippets.ts';

export interface TokenDialogProps {
  readonly workspaceId: string;
  readonly created: CreatedKey;
  readonly onIssued: (issued: IssuedKey) => void;
  readonly onClose: () => void;
}

/** Shows a new token, once. Only the button closes the dialog. */
export function TokenDialog({ workspaceId, created: { key, token }, onIssued, onClose }: TokenDialogProps) {
  if (token === null) {
    return <LostToken workspaceId={workspaceId} apiKey={key} onIssued={onIssued} onClose={onClose} />;
  }
  return (
    <Dialog open onOpenChange={onClose} title={`Token of “${key.name}”`} wide dismissable={false}>
      <ShownOnce what="The token" />
      <p className="flex gap-2 rounded-md bg-warn-ground px-3 py-2 text-warn">
        <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
        Copy the token now. It is shown only once, because the service stores only its hash.
      </p>
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <code
          data-token
          className="min-w-0 grow basis-72 rounded-md border border-edge bg-sunken px-3 py-2 wrap-anywhere select-all"
        >
          {token}
        </code>
        <CopyButton text={token} label="Copy token" wide />
      </div>
      <h3 className="mt-5 mb-1 font-medium">Try it</h3>
      <Tabs
        label="Language"
        tabs={snippets(serviceUrl(), token).map(({ id, label, code }) => ({
          id,
          label,
          content: <CodeBlock code={code} label={`${label} example`} />,
        }))}
      />
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          Done, I've saved it
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface LostTokenProps extends Omit<TokenDialogProps, 'created'> {
  readonly apiKey: CreatedKey['key'];
}

/** Shown if the response with the token was lost: the response to the repeated request has no token. */
function LostToken({ workspaceId, apiKey, onIssued, onClose }: LostTokenProps) {
  const rotate = useAction({
    mutationFn: () => rotateKey(workspaceId, apiKey.id),
    gcTime: 0,
    onSuccess: onIssued,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`“${apiKey.name}” was created, but its token was lost`}
      dismissable={!rotate.isPending}
    >
      {rotate.isPending ? (
        <LeaveQuestion allowsSignIn>The key is being rotated. Its token is shown only once.</LeaveQuestion>
      ) : null}
      <p className="text-soft">
        The first attempt created the key, but the response with the token did not arrive. The token cannot be
        shown again. Rotate the key to get a new token.
      </p>
      {rotate.error === null ? null : <Problem className="mt-3">{messageOf(rotate.error)}</Problem>}
      <DialogActions>
        <Button onClick={onClose}>Later</Button>
        <Button variant="primary" busy={rotate.isPending} onClick={() => void rotate.run()}>
          Rotate key
        </Button>
      </DialogActions>
    </Dialog>
  );
}
