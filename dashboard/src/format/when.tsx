import type { Time } from '@svc/sdk';
import { useNow } from './now.ts';
import { formatDate, formatRelative, formatStamp, formatTime, formatUtc } from './time.ts';

export interface WhenProps {
  readonly at: Time | null;
  /** Default: relative, such as "5 minutes ago". */
  readonly form?: 'relative' | 'full' | 'date' | 'stamp';
  /** In place of a time that there is none of. Default: "never". */
  readonly none?: string;
}

/** The one way in which a time is shown: in the viewer's zone, with UTC when the pointer rests on it. */
export function When({ at, form = 'relative', none = 'never' }: WhenProps) {
  const now = useNow();
  if (at === null) return <span className="text-soft">{none}</span>;
  const text = {
    relative: () => formatRelative(at, now),
    full: () => formatTime(at),
    date: () => formatDate(at),
    stamp: () => formatStamp(at),
  };
  const title = form === 'full' ? formatUtc(at) : `${formatTime(at)}\n${formatUtc(at)}`;
  return (
    <time dateTime={at} title={title} className="whitespace-nowrap tabular-nums">
      {text[form]()}
    </time>
  );
}
