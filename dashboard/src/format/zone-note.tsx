import { Link } from '@tanstack/react-router';
import { useTimeZone } from './time-zone.ts';

/** Names the time zone of the dates on the page, with a link to choose another one. */
export function ZoneNote() {
  const zone = useTimeZone();
  return (
    <span>
      {`Times are in ${zone}. `}
      <Link to="/account" hash="time-zone" className="inline-block py-0.5 text-accent underline">
        Change time zone
      </Link>
    </span>
  );
}
