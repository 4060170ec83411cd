import { Select } from '../../ui/form/select.tsx';
import { TimeBound } from './time-bound.tsx';
import { RANGES, type Range, type TimeRange, timeOfBound } from './time-range.ts';

const OPTIONS = [
  ...Object.entries(RANGES).map(([value, { label }]) => ({ value, label })),
  { value: 'custom', label: 'Custom range' },
];

const BOUND = 'col-span-2 sm:w-48';

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
        <TimeBound
          label="From"
          value={timeOfBound(from)}
          className={BOUND}
          onFilter={(next) => onChange({ from: next })}
        />
        <TimeBound
          label="To"
          value={timeOfBound(to)}
          className={BOUND}
          onFilter={(next) => onChange({ to: next })}
        />
      </>
    ) : null}
  </>
);
