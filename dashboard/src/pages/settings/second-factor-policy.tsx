import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { changeWorkspace, useWorkspace, workspaceQuery } from '../../api/workspace.ts';
import { whyNot } from '../../session/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Confirm } from '../../ui/popup/confirm.tsx';
import { toast } from '../../ui/toast/toast-store.ts';

export interface SecondFactorPolicyProps {
  readonly workspaceId: string;
  /** Members who have no second factor. Undefined: not known. */
  readonly without: number | undefined;
}

/** Says whether members need a second factor. Owners change it. */
export function SecondFactorPolicy({ workspaceId, without }: SecondFactorPolicyProps) {
  const { secondFactorRequired: on, role } = useWorkspace(workspaceId);
  const own = useQuery(sessionQuery).data?.user.twoFactorEnabled;
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const change = async (): Promise<void> => {
    const changed = await changeWorkspace(workspaceId, { secondFactorRequired: !on });
    client.setQueryData(workspaceQuery(workspaceId).queryKey, changed);
    toast(on ? 'A second factor is now optional.' : 'A second factor is now required.');
  };
  const blocked = whyNot(role, 'security.set');
  const missing = !on && own === false ? 'Set up a second factor for your own account first.' : undefined;
  return (
    <Section
      title="Second factor of members"
      description="If it is required, members without a second factor see nothing of the workspace until they have set one up. API keys keep working."
      actions={<Badge tone={on ? 'good' : 'neutral'}>{on ? 'Required' : 'Optional'}</Badge>}
    >
      <div className="flex flex-wrap items-center gap-3">
        <Button blocked={blocked ?? missing} onClick={() => setAsking(true)}>
          {on ? 'Make it optional' : 'Require a second factor'}
        </Button>
        {blocked === undefined && missing !== undefined ? (
          <Link to="/account" className="text-accent underline">
            Go to your account
          </Link>
        ) : null}
      </div>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={on ? 'Make the second factor optional?' : 'Require a second factor?'}
        action={on ? 'Make it optional' : 'Require it'}
        onConfirm={change}
      >
        <p>{on ? 'A password is then enough to open the workspace.' : consequence(without)}</p>
      </Confirm>
    </Section>
  );
}

function consequence(without: number | undefined): string {
  if (without === undefined || without === 0)
    return 'New members have to set one up before they see anything.';
  return without === 1
    ? 'One member has none, and sees nothing of the workspace until they set one up.'
    : `${without} members have none, and see nothing of the workspace until they set one up.`;
}
