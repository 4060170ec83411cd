import type { AnyAuditLogEntry, ApiKey } from '@svc/sdk';
import { When } from '../../format/when.tsx';
import type { Column } from '../../list/virtual-table.tsx';
import { EntryTitle, FilterButton, StatusBadge } from './entry-parts.tsx';
import type { LogSearch } from './log-search.ts';

/** The button stays the same one when the window becomes narrow, so that the focus returns to it from the dialog. */
const OPENS = 'opens';

type Columns = (
  keys: ReadonlyMap<string, ApiKey>,
  filter: (search: LogSearch) => void,
  open: (entry: AnyAuditLogEntry) => void,
) => readonly Column<AnyAuditLogEntry>[];

const BY_TIME = { id: 'time', label: 'Time', order: 'descending' } as const;

/** The columns of the log. A click on a key, a person or an address filters by it, any other click opens the entry. */
export const logColumns: Columns = (keys, filter, open) => [
  {
    ...BY_TIME,
    className: 'w-36',
    cell: (entry) => <TimeButton key={OPENS} entry={entry} open={open} />,
  },
  {
    id: 'status',
    label: 'Status',
    className: 'w-18',
    cell: ({ status }) => (status === undefined ? null : <StatusBadge status={status} />),
  },
  {
    id: 'event',
    label: 'Event',
    className: 'min-w-48 max-w-0',
    cell: (entry) => (
      <div className="flex min-w-0">
        <EntryTitle entry={entry} />
      </div>
    ),
  },
  {
    id: 'who',
    label: 'Key or person',
    className: 'w-44 max-w-44 !py-0',
    cell: (entry) => (
      <span className="flex min-w-0 flex-col text-sm leading-6">
        <Who entry={entry} keys={keys} filter={filter} />
      </span>
    ),
  },
  {
    id: 'duration',
    label: 'Duration',
    className: 'hidden w-20 !text-end md:table-cell',
    cell: ({ durationMs }) =>
      durationMs === undefined ? null : (
        <span className="text-sm whitespace-nowrap text-soft tabular-nums">{durationMs} ms</span>
      ),
  },
  {
    id: 'ip',
    label: 'IP address',
    className: 'hidden w-36 lg:table-cell',
    cell: ({ ip }) =>
      ip === undefined ? null : (
        <FilterButton
          label="Filter by this address"
          className="truncate text-sm text-soft tabular-nums"
          onClick={() => filter({ address: ip })}
        >
          {ip}
        </FilterButton>
      ),
  },
];

/** The only column in windows that are too narrow for several: what happened, when, and who has done it. */
export const stackedColumns: Columns = (keys, filter, open) => [
  {
    ...BY_TIME,
    className: 'max-w-0 leading-6',
    cell: (entry) => (
      <>
        <span className="flex h-6 min-w-0 items-center gap-2">
          {entry.status === undefined ? null : <StatusBadge status={entry.status} />}
          <EntryTitle entry={entry} />
        </span>
        <TimeButton key={OPENS} entry={entry} open={open} />
        {entry.durationMs === undefined ? null : (
          <span className="ms-3 text-sm text-soft tabular-nums">{entry.durationMs} ms</span>
        )}
        <span className="flex h-6 min-w-0 gap-3 text-sm leading-6">
          <Who entry={entry} keys={keys} filter={filter} />
        </span>
      </>
    ),
  },
];

interface TimeButtonProps {
  readonly entry: AnyAuditLogEntry;
  readonly open: (entry: AnyAuditLogEntry) => void;
}

const TimeButton = ({ entry, open }: TimeButtonProps) => (
  <button
    type="button"
    onClick={() => open(entry)}
    className="relative inline-flex h-6 items-center rounded align-top text-sm text-soft hover:text-ink hover:underline"
  >
    <When at={entry.createdAt} form="stamp" />
    <span className="sr-only">. Open the entry</span>
  </button>
);

interface WhoProps {
  readonly entry: AnyAuditLogEntry;
  readonly keys: ReadonlyMap<string, ApiKey>;
  readonly filter: (search: LogSearch) => void;
}

/** The person and the key of an entry. */
const Who = ({ entry: { kind, keyId, actor }, keys, filter }: WhoProps) => (
  <>
    {actor === null ? null : (
      <FilterButton
        label="Filter by this person"
        className="truncate text-soft"
        onClick={() => filter({ person: actor })}
      >
        {actor}
      </FilterButton>
    )}
    {keyId === null ? null : (
      <FilterButton label="Filter by this key" className="truncate" onClick={() => filter({ key: keyId })}>
        {keys.get(keyId)?.name ?? keyId}
      </FilterButton>
    )}
    {actor === null && keyId === null ? (
      <span className="text-soft">{kind === 'webhook.disabled' ? 'Service' : 'Operator'}</span>
    ) : null}
  </>
);
