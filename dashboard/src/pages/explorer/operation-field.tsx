import { Field } from '../../ui/form/field.tsx';
import { Select } from '../../ui/form/select.tsx';
import type { Operation } from './openapi.ts';

export interface OperationFieldProps {
  readonly operations: readonly Operation[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Selects an operation. The groups are those of the API reference. */
export function OperationField({ operations, value, onChange }: OperationFieldProps) {
  const groups = Object.entries(Object.groupBy(operations, ({ group }) => group));
  const summary = operations.find(({ id }) => id === value)?.summary;
  return (
    <Field label="Endpoint" hint={summary}>
      {(control) => (
        <Select
          {...control}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          options={groups.map(([group, members = []]) => ({
            group,
            options: members.map(({ id }) => ({ value: id, label: id })),
          }))}
          className="w-full font-mono"
        />
      )}
    </Field>
  );
}
