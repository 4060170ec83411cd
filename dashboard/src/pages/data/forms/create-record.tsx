import { capitalized, oneOf } from '@svc/sdk/contract';
import type { CompanyNames } from '@svc/service/dashboard/wire';
import { useNavigate } from '@tanstack/react-router';
import { useIdempotencyKey } from '../../../api/idempotency-key.ts';
import { fieldLabel } from '../../../resources/labels.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { useDraft } from '../../../session/draft.ts';
import { Button } from '../../../ui/button.tsx';
import { Form } from '../../../ui/form/form.tsx';
import { differ } from '../../../ui/form/unsaved.ts';
import { Dialog, DialogActions } from '../../../ui/popup/dialog.tsx';
import { toast } from '../../../ui/toast/toast-store.ts';
import { OneCompany } from '../../keys/company-choice.tsx';
import { useCreateRecord } from '../record-query.ts';
import { RecordFields } from './record-fields.tsx';
import { creationFields, creationOf, fieldErrors, parentOf, startValues } from './record-form.ts';

type Company = CompanyNames['data'][number];

export interface CreateRecordProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  /** The company that is chosen at first. Default: none. */
  readonly company?: Company | undefined;
  readonly onClose: () => void;
}

/** A dialog that creates a record, and then opens its page. */
export function CreateRecord({ workspaceId, resource, company: first, onClose }: CreateRecordProps) {
  const navigate = useNavigate();
  const fields = creationFields(resource);
  const parent = parentOf(resource);
  const start = startValues(fields);
  const [{ company, values }, setDraft] = useDraft(`new ${resource.name} ${workspaceId}`, {
    company: parent === null ? undefined : first,
    values: start,
  });
  const create = useCreateRecord(workspaceId, resource.name, useIdempotencyKey());
  const shown = [...fields.map(([name]) => name), ...(parent === null ? [] : [parent])];
  const errors = fieldErrors(create.error, shown);
  const submit = (): Promise<boolean> =>
    create.run(
      { ...(parent === null ? {} : { [parent]: company?.id ?? '' }), ...creationOf(fields, values) },
      ({ record }) => {
        toast(`${capitalized(resource.singular)} created.`);
        onClose();
        void navigate({
          to: '/w/$workspaceId/data/$resource/$recordId',
          params: { workspaceId, resource: resource.name, recordId: record.id },
        });
      },
    );
  const [firstField] = fields;
  return (
    <Dialog open onOpenChange={onClose} title={`Create ${oneOf(resource)}`} dismissable={!create.isPending}>
      <Form
        action={{ run: submit, error: Object.keys(errors).length === 0 ? create.error : null }}
        fields={[]}
        unsaved={differ(values, start) || (parent !== null && company?.id !== first?.id)}
        actions={
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={create.isPending}
              blocked={parent !== null && company === undefined ? 'Choose a company first.' : undefined}
            >
              Create {resource.singular}
            </Button>
          </DialogActions>
        }
      >
        {parent === null ? null : (
          <div className="flex flex-col gap-1.5">
            <span className="font-medium">{fieldLabel(parent)}</span>
            <OneCompany
              workspaceId={workspaceId}
              company={company}
              onChange={(next) => setDraft((now) => ({ ...now, company: next }))}
            />
            {errors[parent] === undefined ? null : (
              <p role="alert" className="text-sm text-bad">
                {errors[parent]}
              </p>
            )}
          </div>
        )}
        <RecordFields
          fields={fields}
          values={values}
          errors={errors}
          autoFocus={parent === null ? firstField?.[0] : undefined}
          onChange={(next) => setDraft((now) => ({ ...now, values: next }))}
        />
      </Form>
    </Dialog>
  );
}
