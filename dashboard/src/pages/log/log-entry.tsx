import type { AnyAuditLogEntry, ApiKey } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, ofWorkspace } from '../../api/client.ts';
import { formatUtc } from '../../format/time.ts';
import { useTimeZone } from '../../format/time-zone.ts';
import { When } from '../../format/when.tsx';
import { findResource } from '../../resources/resources.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Fact, FilterLink, importedText, StatusBadge } from './entry-parts.tsx';
import { KIND_LABELS } from './kinds.ts';
import type { LogSearch } from './log-search.ts';
import { WhatChanged } from './what-changed.tsx';

export interface LogEntryProps {
  readonly workspaceId: string;
  readonly entryId: string;
  /** The entry, if the list has loaded it. */
  readonly known: AnyAuditLogEntry | undefined;
  readonly keys: ReadonlyMap<string, ApiKey>;
  readonly onClose: () => void;
  readonly onFilter: (search: LogSearch) => void;
}

/** A dialog with all fields of an entry. */
export function LogEntry({ workspaceId, entryId, known, keys, onClose, onFilter }: LogEntryProps) {
  const {
    data: entry,
    error,
    refetch,
  } = useQuery({
    queryKey: ['log-entry', workspaceId, entryId],
    queryFn: ({ signal }) =>
      call<AnyAuditLogEntry>(ofWorkspace(workspaceId, `/log/${encodeURIComponent(entryId)}`), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    ...(known === undefined ? {} : { initialData: known }),
  });
  return (
    <Dialog wide open onOpenChange={onClose} title={entry === undefined ? 'Entry' : KIND_LABELS[entry.kind]}>
      {error !== null ? (
        <FailureState error={error} retry={() => void refetch()} title="The entry could not be loaded" />
      ) : entry === undefined ? (
        <Skeleton className="h-48 w-full" />
      ) : (
        <Detail
          workspaceId={workspaceId}
          entry={entry}
          keyName={keys.get(entry.keyId ?? '')?.name}
          onFilter={onFilter}
        />
      )}
    </Dialog>
  );
}

/** Whether the filter finds exactly this path. A path that held an API key is not in the log, and `*` would be a prefix. */
const isPathFilter = (path: string): boolean => path.startsWith('/') && !path.endsWith('*');

interface DetailProps {
  readonly workspaceId: string;
  readonly entry: AnyAuditLogEntry;
  readonly keyName: string | undefined;
  readonly onFilter: (search: LogSearch) => void;
}

function Detail({ workspaceId, entry, keyName, onFilter }: DetailProps) {
  const { status, method, path, durationMs, ip, userAgent, requestId, recordIds, records } = entry;
  const zone = useTimeZone();
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-[minmax(4.5rem,auto)_minmax(0,1fr)] gap-x-4 sm:grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] sm:gap-x-5 gap-y-2 wrap-anywhere">
        <Fact name="Time">
          <When at={entry.createdAt} form="full" />
          {zone === 'UTC' ? null : <span className="text-soft"> ({formatUtc(entry.createdAt)})</span>}
        </Fact>
        {path === undefined ? null : (
          <Fact name="Request">
            <code>
              {method} {path}
            </code>
            {isPathFilter(path) ? (
              <FilterLink onClick={() => onFilter({ path, method: undefined })}>
                Filter by this path
              </FilterLink>
            ) : null}
          </Fact>
        )}
        {status === undefined ? null : (
          <Fact name="Status">
            <StatusBadge status={status} />
            <FilterLink onClick={() => onFilter({ status: String(status) })}>
              Filter by this status
            </FilterLink>
          </Fact>
        )}
        {entry.keyId === null ? null : (
          <Fact name="API key">
            <Link
              to="/w/$workspaceId/keys/$keyId"
              params={{ workspaceId, keyId: entry.keyId }}
              className="rounded text-accent hover:underline"
            >
              {keyName ?? entry.keyId}
            </Link>
            {keyName === undefined ? null : <code className="text-soft"> {entry.keyId}</code>}
            <FilterLink onClick={() => onFilter({ key: entry.keyId ?? undefined })}>
              Filter by this key
            </FilterLink>
          </Fact>
        )}
        {entry.actor === null ? null : (
          <Fact name="Person">
            {entry.actor}
            <FilterLink onClick={() => onFilter({ person: entry.actor ?? undefined })}>
              Filter by this person
            </FilterLink>
          </Fact>
        )}
        <WhatChanged entry={entry} onFilter={onFilter} />
        {durationMs === undefined ? null : <Fact name="Duration">{durationMs} ms</Fact>}
        {records === undefined ? null : <Fact name="Records">{importedText(entry)}</Fact>}
        {recordIds === undefined || recordIds.length === 0 ? null : (
          <Fact name="Records written">
            <span className="flex max-h-32 flex-col overflow-y-auto">
              {recordIds.map((id) => (
                <RecordId key={id} workspaceId={workspaceId} entry={entry} id={id} />
              ))}
            </span>
          </Fact>
        )}
        {ip === undefined ? null : (
          <Fact name="IP address">
            {ip}
            <FilterLink onClick={() => onFilter({ address: ip })}>Filter by this address</FilterLink>
          </Fact>
        )}
        {userAgent == null ? null : <Fact name="User agent">{userAgent}</Fact>}
        {requestId === undefined ? null : (
          <Fact name="Request id">
            <code>{requestId}</code>
            <FilterLink onClick={() => onFilter({ request: requestId })}>Filter by this request</FilterLink>
          </Fact>
        )}
      </dl>
      <CodeBlock label="entry as JSON" code={JSON.stringify(entry, null, 2)} />
    </div>
  );
}

interface RecordIdProps {
  readonly workspaceId: string;
  readonly entry: AnyAuditLogEntry;
  readonly id: string;
}

/** The id of a record that was written, with a link to its page. That page has the history of a deleted record, too. */
function RecordId({ workspaceId, entry, id }: RecordIdProps) {
  const name = entry.resource ?? entry.path?.split('/')[2] ?? '';
  const resource = findResource(name);
  if (resource === undefined) return <code>{id}</code>;
  return (
    <Link
      to="/w/$workspaceId/data/$resource/$recordId"
      params={{ workspaceId, resource: resource.name, recordId: id }}
      className="rounded text-accent hover:underline"
    >
      <code>{id}</code>
    </Link>
  );
}
