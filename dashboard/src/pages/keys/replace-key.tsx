import type { ApiKey } from '@svc/sdk';
import type { CreatedKey } from '@svc/service/dashboard/wire';
import { useQuery } from '@tanstack/react-query';
import { useCompanyNames } from '../../api/company-names.ts';
import { messageOf } from '../../api/failure.ts';
import { keyQuery } from '../../api/keys.ts';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { CreateKey } from './create-key.tsx';

export interface ReplaceKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedKey) => void;
}

/** Creates a key with the settings of another one. */
export function ReplaceKey({ workspaceId, apiKey, onClose, onCreated }: ReplaceKeyProps) {
  const { data, error } = useQuery(keyQuery(workspaceId, apiKey.id));
  const nameOf = useCompanyNames(workspaceId, [apiKey.companyId]);
  if (data !== undefined) {
    const { companyId } = data.key;
    const company = companyId === null ? null : { id: companyId, name: nameOf(companyId), domain: null };
    return (
      <CreateKey
        workspaceId={workspaceId}
        mode={data.key.mode}
        replaced={{ details: data, company }}
        onClose={onClose}
        onCreated={onCreated}
      />
    );
  }
  if (error === null) return null;
  return (
    <Dialog open onOpenChange={onClose} title={`Replace “${apiKey.name}”`}>
      <Problem>{messageOf(error)}</Problem>
    </Dialog>
  );
}
