import { capitalized } from '@svc/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isFailure } from '../../../api/failure.ts';
import { type ResourceContract, titleOf } from '../../../resources/resources.ts';
import { Confirm } from '../../../ui/popup/confirm.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { deleteRecord, forgetLists, type ReadRecord, recordQuery } from '../record-query.ts';

export interface DeleteRecordProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly read: ReadRecord;
  readonly onClose: () => void;
}

/** Asks whether to delete a record, and deletes it, unless it has changed since it was read. */
export function DeleteRecord({ workspaceId, resource, read, onClose }: DeleteRecordProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { name, singular } = resource;
  const { id } = read.record;
  const remove = async (): Promise<void> => {
    try {
      await deleteRecord(workspaceId, name, read);
    } catch (error) {
      if (!isFailure(error, 'precondition_failed')) throw error;
      // The page behind the dialog shows the latest version. A second confirmation deletes that one.
      await client.refetchQueries(recordQuery(workspaceId, name, id));
      throw new Error(
        `Somebody else changed this ${singular}. This page now shows the latest version. Delete it anyway?`,
      );
    }
    toast(`${capitalized(singular)} deleted.`);
    // The lists before the list is shown, the record when its page is left.
    forgetLists(client, workspaceId, name);
    await navigate({ to: '/w/$workspaceId/data/$resource', params: { workspaceId, resource: name } });
    client.removeQueries({ queryKey: recordQuery(workspaceId, name, id).queryKey });
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={`Delete this ${singular}?`}
      action={`Delete ${singular}`}
      dangerous
      onConfirm={remove}
    >
      <p>
        <bdi className="font-medium text-ink wrap-anywhere">{titleOf(resource, read.record)}</bdi> will be
        deleted. This cannot be undone. The audit log and the change feed keep that it was deleted.
      </p>
    </Confirm>
  );
}
