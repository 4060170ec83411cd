import { useTimeZone } from '../format/time-zone.ts';
import { timeOfWall, wallTime } from '../format/wall-time.ts';
import { Input } from '../ui/form/input.tsx';
import { Select } from '../ui/form/select.tsx';
import { boundAt, RANGES, type Range, type TimeRange, timeOfBound } from './time-range.ts';

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
        <Bound label="From" bound={from} onChange={(next) => onChange({ from: next })} />
        <Bound label="To" bound={to} onChange={(next) => onChange({ to: next })} />
      </>
    ) : null}
  </>
);

interface BoundProps {
  readonly label: string;
  readonly bound: string | undefined;
  readonly onChange: (bound: string | undefined) => void;
}

/** A bound of a custom range, in the viewer's zone. */
function Bound({ label, bound, onChange }: BoundProps) {
  const zone = useTimeZone();
  const time = timeOfBound(bound);
  return (
    <Input
      type="datetime-local"
      aria-label={`${label} (${zone})`}
      className="col-span-2 sm:!w-48"
      value={time === undefined ? '' : wallTime(time, zone)}
      onChange={({ target: { value } }) =>
        onChange(value === '' ? undefined : boundAt(timeOfWall(value, zone)))
      }
    />
  );
}
