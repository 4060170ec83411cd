import { useQueryClient } from '@tanstack/react-query';
import { isFailure } from '../../../api/failure.ts';
import { isCompanies, type ResourceContract } from '../../../resources/resources.ts';
import { useDraft } from '../../../session/draft.ts';
import { Button } from '../../../ui/button.tsx';
import { Form } from '../../../ui/form/form.tsx';
import { intoView } from '../../../ui/into-view.ts';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { type ReadRecord, recordQuery, useChangeRecord } from '../record-query.ts';
import { RecordFields } from './record-fields.tsx';
import { changedByBoth, fieldErrors, formFields, formValues, patchOf, valuesAfter } from './record-form.ts';

export interface EditRecordProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly read: ReadRecord;
  readonly onClose: () => void;
}

/** A dialog to edit a record. */
export function EditRecord({ workspaceId, resource, read, onClose }: EditRecordProps) {
  const client = useQueryClient();
  const fields = formFields(resource);
  // The draft has the record as it was when it was last read. Only fields that differ from it are sent.
  const [draft, setDraft] = useDraft(`edit ${read.record.id}`, {
    opened: read,
    values: formValues(fields, read.record),
    both: [] as readonly string[],
  });
  const { values, opened, both } = draft;
  const original = opened.record;
  const change = useChangeRecord(workspaceId, resource.name, opened);
  const outdated = isFailure(change.error, 'precondition_failed');
  const save = async (): Promise<boolean> => {
    const patch = patchOf(fields, original, values);
    const changed = Object.keys(patch).length > 0;
    if (changed && !(await change.run(patch))) return false;
    if (changed) toast('Saved.');
    // Other pages show the name of a company.
    if (changed && isCompanies(resource))
      void client.invalidateQueries({ queryKey: ['workspace', workspaceId] });
    onClose();
    return true;
  };
  const names = fields.map(([name]) => name);
  const errors = fieldErrors(change.error, names);
  const error = outdated
    ? new Error('Somebody else changed this record, so it was not saved. Your edits are kept.')
    : isFailure(change.error, 'not_found')
      ? new Error('Somebody else deleted this record, so it was not saved. Copy what you need of your edits.')
      : Object.keys(errors).length === 0
        ? change.error
        : null;
  const reload = async (): Promise<void> => {
    const query = recordQuery(workspaceId, resource.name, original.id);
    await client.refetchQueries(query);
    const latest = client.getQueryData(query.queryKey);
    // The person may have typed meanwhile.
    if (latest !== undefined) {
      setDraft((now) => {
        const versions = [fields, now.opened.record, latest.record, now.values] as const;
        return { opened: latest, values: valuesAfter(...versions), both: changedByBoth(...versions) };
      });
    }
    change.reset();
  };
  return (
    <Dialog open onOpenChange={onClose} title={`Edit ${resource.singular}`} dismissable={!change.isPending}>
      <Form
        action={{ run: save, error }}
        fields={[]}
        unsaved={Object.keys(patchOf(fields, original, values)).length > 0}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            {outdated ? (
              <Button variant="primary" onClick={() => void reload()}>
                Continue with the latest version
              </Button>
            ) : (
              <Button type="submit" variant="primary" busy={change.isPending}>
                Save
              </Button>
            )}
          </DialogActions>
        }
      >
        <RecordFields
          fields={fields}
          values={values}
          errors={errors}
          autoFocus={names[0]}
          onChange={(next) => setDraft((now) => ({ ...now, values: next }))}
        />
        {both.length === 0 ? null : (
          <div
            ref={intoView}
            role="status"
            className="scroll-mb-20 rounded-md bg-warn-ground px-3 py-2 wrap-anywhere text-warn"
          >
            {`Somebody else changed the same as you. ${both.join(' ')} Save replaces it with what you entered.`}
          </div>
        )}
      </Form>
    </Dialog>
  );
}
