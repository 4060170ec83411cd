import { ChevronsUpDown } from 'lucide-react';
import { classes } from '../../ui/classes.ts';
import { Field } from '../../ui/form/field.tsx';
import { CONTROL_CLASS } from '../../ui/form/input.tsx';
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
        <span className="relative flex min-w-0">
          <select
            {...control}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className={classes(CONTROL_CLASS, 'select h-8 appearance-none truncate pe-8 font-mono text-sm')}
          >
            {groups.map(([group, members = []]) => (
              <optgroup key={group} label={group}>
                {members.map(({ id }) => (
                  <option key={id} value={id}>
                    {id}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
          <ChevronsUpDown
            size={14}
            aria-hidden
            className="pointer-events-none absolute end-2.5 top-1/2 -translate-y-1/2 text-soft"
          />
        </span>
      )}
    </Field>
  );
}
