import { CircleAlert } from 'lucide-react';
import { useId } from 'react';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { descriptionOf, EVENT_GROUPS, EVENT_TYPES } from './event-types.ts';

const SCOPES = [
  { value: 'all', label: 'All events', hint: 'All types, including those of future releases.' },
  { value: 'some', label: 'Chosen events', hint: 'Only the types that you choose.' },
] as const;

export interface TypeChoiceProps {
  /** Null: all types. */
  readonly types: readonly string[] | null;
  readonly error: string | null;
  readonly onChange: (types: readonly string[] | null) => void;
}

/** Chooses the types of events that an endpoint gets. */
export function TypeChoice({ types, error, onChange }: TypeChoiceProps) {
  const errorId = useId();
  const toggle = (type: string, checked: boolean): void =>
    // In the order of the contract, so that the same choice is the same list.
    onChange(EVENT_TYPES.filter((one) => (one === type ? checked : types?.includes(one))));
  return (
    <div className="flex flex-col gap-2">
      <Choice
        label="Events"
        value={types === null ? 'all' : 'some'}
        onChange={(scope) => onChange(scope === 'all' ? null : [])}
        options={SCOPES}
      />
      {types === null ? null : (
        <div className="grid gap-x-4 gap-y-3 rounded-md border border-line bg-sunken p-3 sm:grid-cols-2">
          {EVENT_GROUPS.map((group) => (
            <fieldset
              key={group.label}
              className="min-w-0"
              aria-describedby={error === null ? undefined : errorId}
            >
              <legend className="mb-0.5 text-sm font-medium">{group.label}</legend>
              {group.types.map((type) => (
                <Checkbox
                  key={type}
                  checked={types.includes(type)}
                  onChange={(checked) => toggle(type, checked)}
                >
                  <span className="min-w-0 wrap-anywhere" title={descriptionOf(type)}>
                    {type}
                  </span>
                </Checkbox>
              ))}
            </fieldset>
          ))}
        </div>
      )}
      {error === null ? null : (
        <p id={errorId} role="alert" className="flex gap-1.5 text-sm text-bad">
          <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
          {error}
        </p>
      )}
    </div>
  );
}
