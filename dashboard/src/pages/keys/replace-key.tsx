import type { ApiKey } from '@svc/sdk';
import type { CreatedKey } from '@svc/service/dashboard/wire';
import { useCompanyNames } from '../../api/company-names.ts';
import { messageOf } from '../../api/failure.ts';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NewKeyForm } from './create-key.tsx';
import { useFreshKey } from './fresh-key.ts';

export interface ReplaceKeyProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedKey) => void;
}

/** Creates a key with the settings of another one. */
export function ReplaceKey({ workspaceId, apiKey, onClose, onCreated }: ReplaceKeyProps) {
  const { details, error } = useFreshKey(workspaceId, apiKey.id);
  const nameOf = useCompanyNames(workspaceId, [apiKey.companyId]);
  const companyId = details?.key.companyId ?? null;
  const company = companyId === null ? null : { id: companyId, name: nameOf(companyId), domain: null };
  return (
    <Dialog open onOpenChange={onClose} title={`Replace “${apiKey.name}”`}>
      {details !== undefined ? (
        <NewKeyForm
          workspaceId={workspaceId}
          mode={details.key.mode}
          replaced={{ details, company }}
          onClose={onClose}
          onCreated={onCreated}
        />
      ) : error === null ? (
        <Skeleton className="h-72" />
      ) : (
        <Problem>{messageOf(error)}</Problem>
      )}
    </Dialog>
  );
}
