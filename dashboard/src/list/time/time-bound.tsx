import { timeZone, useTimeZone } from '../../format/time-zone.ts';
import { LAST_MINUTE, timeOfWall, wallTime } from '../../format/wall-time.ts';
import { TextFilter } from '../text-filter.tsx';
import { boundAt } from './time-range.ts';

export interface TimeBoundProps {
  readonly label: string;
  /** A time. Undefined: there is no bound. */
  readonly value: string | undefined;
  readonly className: string;
  readonly onFilter: (bound: string | undefined) => void;
}

/** A bound of a range of time, typed in the viewer's zone. It applies when it is complete: on Enter or without the focus. */
export function TimeBound({ label, value, className, onFilter }: TimeBoundProps) {
  const zone = useTimeZone();
  return (
    <TextFilter
      type="datetime-local"
      max={LAST_MINUTE}
      label={`${label} (${zone})`}
      value={value === undefined ? undefined : wallTime(value, zone)}
      className={className}
      onFilter={(wall) => onFilter(wall === undefined ? undefined : boundAt(timeOfWall(wall, timeZone())))}
    />
  );
}
