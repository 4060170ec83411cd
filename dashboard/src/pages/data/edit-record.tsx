import type { FieldShape, ResourceShape } from '@svc/service/dashboard/wire-data';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isFailure } from '../../api/failure.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { Input, Textarea } from '../../ui/form/input.tsx';
import { Select } from '../../ui/form/select.tsx';
import { Dialog, DialogActions, DialogClose } from '../../ui/popup/dialog.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { fieldLabel, valueLabel } from './labels.ts';
import { type ReadRecord, recordQuery } from './record-query.ts';
import { useChangeRecord } from './use-change-record.ts';

export interface EditRecordProps {
  readonly workspaceId: string;
  readonly shape: ResourceShape;
  readonly read: ReadRecord;
  readonly onClose: () => void;
}

type Values = Readonly<Record<string, string>>;
/** Longer texts get a text area. */
const LONG_TEXT_CHARACTERS = 500;

/** A dialog to edit the writable fields of a record, except its company and its state (see StatusMoves). */
export function EditRecord({ workspaceId, shape, read, onClose }: EditRecordProps) {
  const client = useQueryClient();
  // The record when the dialog opened. Only fields that differ from it are sent.
  const [original] = useState(read.record);
  const fields = shape.fields.filter(
    ({ name, writable }) => writable && name !== 'companyId' && name !== shape.transitions?.field,
  );
  const [typed, setTyped] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name }) => [name, String(original[name] ?? '')])),
  );
  const change = useChangeRecord(workspaceId, shape, read);
  const outdated = isFailure(change.error, 'precondition_failed');
  const save = async (): Promise<boolean> => {
    const patch = Object.fromEntries(
      fields
        .filter(({ name }) => typed[name] !== String(original[name] ?? ''))
        .map((field) => [field.name, parseValue(field, typed[field.name] ?? '')]),
    );
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
    await client.refetchQueries(recordQuery(workspaceId, shape.name, read.record.id));
    change.reset();
  };
  return (
    <Dialog open onOpenChange={onClose} title={`Edit ${shape.singular}`} dismissable={!change.isPending}>
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
        {fields.map((field) => (
          <Field
            key={field.name}
            label={fieldLabel(field.name)}
            hint={hintOf(field)}
            optional={field.nullable}
          >
            {(control) => (
              <FieldControl
                {...control}
                field={field}
                value={typed[field.name] ?? ''}
                onChange={(value) => setTyped({ ...typed, [field.name]: value })}
              />
            )}
          </Field>
        ))}
      </Form>
    </Dialog>
  );
}

const hintOf = ({ kind, description }: FieldShape): string =>
  kind === 'time' ? `${description} With a time zone, for example 2026-03-01T09:30:00Z.` : description;

function parseValue({ kind, nullable }: FieldShape, typed: string): string | number | null {
  if (typed.trim() === '' && nullable) return null;
  return kind === 'integer' && typed.trim() !== '' ? Number(typed) : typed;
}

interface FieldControlProps {
  readonly id: string;
  readonly field: FieldShape;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FieldControl({
  field: { name, kind, values, maxLength },
  value,
  onChange,
  ...control
}: FieldControlProps) {
  if (values !== null) {
    const options = values.map((one) => ({ value: one, label: valueLabel(one) }));
    return (
      <Select
        {...control}
        value={value}
        options={options}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  const common = { ...control, value, ...(maxLength === null ? {} : { maxLength }) };
  if ((maxLength ?? 0) > LONG_TEXT_CHARACTERS && kind === 'text' && name !== 'url') {
    return <Textarea {...common} onChange={({ target }) => onChange(target.value)} />;
  }
  return <Input {...common} onChange={({ target }) => onChange(target.value)} />;
}
