import { Input } from '../ui/form/input.tsx';
import { Select } from '../ui/form/select.tsx';
import { RANGES, type Range, type TimeRange } from './time-range.ts';

const OPTIONS = [
  ...Object.entries(RANGES).map(([value, { label }]) => ({ value, label })),
  { value: 'custom', label: 'Custom range' },
];

export interface TimeFilterProps {
  readonly value: TimeRange & { readonly range: Range };
  /** Sets the given parts of the range and keeps the others. */
  readonly onChange: (change: TimeRange) => void;
}

/** Chooses a range of time. */
export const TimeFilter = ({ value: { range, from, to }, onChange }: TimeFilterProps) => (
  <>
    <Select
      aria-label="Time"
      className="sm:w-32"
      value={range}
      options={OPTIONS}
      onChange={({ target }) => onChange({ range: target.value as Range })}
    />
    {range === 'custom' ? (
      <>
        <Input
          type="datetime-local"
          aria-label="From"
          className="col-span-2 sm:!w-48"
          value={from ?? ''}
          onChange={({ target }) => onChange({ from: target.value || undefined })}
        />
        <Input
          type="datetime-local"
          aria-label="To"
          className="col-span-2 sm:!w-48"
          value={to ?? ''}
          onChange={({ target }) => onChange({ to: target.value || undefined })}
        />
      </>
    ) : null}
  </>
);
