import type { Time } from '@svc/sdk';
import { classes } from '../ui/classes.ts';
import { useNow } from './now.ts';
import {
  formatDate,
  formatRelative,
  formatStamp,
  formatTime,
  formatUpcoming,
  formatUtc,
  formatUtcDay,
} from './time.ts';
import { useTimeZone } from './time-zone.ts';

export interface WhenProps {
  readonly at: Time | null;
  /** Default: relative, such as "5 minutes ago". Upcoming is relative, for a time that is still to come. */
  readonly form?: 'relative' | 'upcoming' | 'full' | 'date' | 'stamp' | 'utcDay';
}

/** Shows a time in the viewer's zone. The tooltip has the time with its zone, and in UTC. Null is "Never". */
export function When({ at, form = 'relative' }: WhenProps) {
  const now = useNow();
  useTimeZone();
  if (at === null) return <span className="text-soft">Never</span>;
  const text = {
    relative: () => formatRelative(at, now),
    upcoming: () => formatUpcoming(at, now),
    full: () => formatTime(at),
    date: () => formatDate(at),
    stamp: () => formatStamp(at),
    utcDay: () => formatUtcDay(at),
  };
  const title = form === 'full' ? formatUtc(at) : `${formatTime(at)}\n${formatUtc(at)}`;
  return (
    <time
      dateTime={at}
      title={title}
      className={classes('tabular-nums', form !== 'full' && 'whitespace-nowrap')}
    >
      {text[form]()}
    </time>
  );
}
