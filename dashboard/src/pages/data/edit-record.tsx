import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isFailure } from '../../api/failure.ts';
import { fieldLabel, valueLabel } from '../../resources/labels.ts';
import { type Field, isLongText, type ResourceContract } from '../../resources/resources.ts';
import { Button } from '../../ui/button.tsx';
import { Field as LabelledField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { Input, Textarea } from '../../ui/form/input.tsx';
import { Select } from '../../ui/form/select.tsx';
import { Dialog, DialogActions, DialogClose } from '../../ui/popup/dialog.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { formFields, formValues, patchOf } from './record-form.ts';
import { type ReadRecord, recordQuery, useChangeRecord } from './record-query.ts';

export interface EditRecordProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly read: ReadRecord;
  readonly onClose: () => void;
}

/** A dialog to edit a record. */
export function EditRecord({ workspaceId, resource, read, onClose }: EditRecordProps) {
  const client = useQueryClient();
  // The record when the dialog opened. Only fields that differ from it are sent.
  const [original] = useState(read.record);
  const fields = formFields(resource);
  const [values, setValues] = useState(() => formValues(fields, original));
  const change = useChangeRecord(workspaceId, resource.name, read);
  const outdated = isFailure(change.error, 'precondition_failed');
  const save = async (): Promise<boolean> => {
    const patch = patchOf(fields, original, values);
    const changed = Object.keys(patch).length > 0;
    if (changed && !(await change.run(patch))) return false;
    if (changed) toast('Saved.');
    onClose();
    return true;
  };
  const error = outdated
    ? new Error('Somebody else changed this record. Your edits are kept.')
    : change.error;
  const reload = async (): Promise<void> => {
    await client.refetchQueries(recordQuery(workspaceId, resource.name, read.record.id));
    change.reset();
  };
  return (
    <Dialog open onOpenChange={onClose} title={`Edit ${resource.singular}`} dismissable={!change.isPending}>
      <Form
        action={{ run: save, error }}
        fields={[]}
        actions={
          <DialogActions>
            <DialogClose asChild>
              <Button>Cancel</Button>
            </DialogClose>
            {outdated ? (
              <Button variant="primary" onClick={() => void reload()}>
                Reload the latest version
              </Button>
            ) : (
              <Button type="submit" variant="primary" busy={change.isPending}>
                Save
              </Button>
            )}
          </DialogActions>
        }
      >
        {fields.map(([name, field]) => (
          <LabelledField
            key={name}
            label={fieldLabel(name)}
            hint={hintOf(field)}
            optional={field.nullable === true}
          >
            {(control) => (
              <FieldControl
                {...control}
                field={field}
                value={values[name] ?? ''}
                onChange={(value) => setValues({ ...values, [name]: value })}
              />
            )}
          </LabelledField>
        ))}
      </Form>
    </Dialog>
  );
}

function hintOf(field: Field): string {
  const { kind, description } = field;
  if (kind === 'time') return `${description} Enter it with a time zone, for example 2026-03-01T09:30:00Z.`;
  return kind === 'text' && field.rule === 'domain'
    ? `${description} For example ${field.example}.`
    : description;
}

interface FieldControlProps {
  readonly id: string;
  readonly field: Field;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FieldControl({ field, value, onChange, ...control }: FieldControlProps) {
  if (field.kind === 'choice') {
    const options = field.values.map((one) => ({ value: one, label: valueLabel(one) }));
    return (
      <Select
        {...control}
        value={value}
        options={options}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  const common = { ...control, value, ...(field.kind === 'text' ? { maxLength: field.max } : {}) };
  return isLongText(field) ? (
    <Textarea {...common} onChange={({ target }) => onChange(target.value)} />
  ) : (
    <Input {...common} onChange={({ target }) => onChange(target.value)} />
  );
}
