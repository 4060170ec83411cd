import type { ApiKey, AuditLogEntry } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { call, ofWorkspace } from '../../api/client.ts';
import { formatUtc, TIME_ZONE } from '../../format/time.ts';
import { When } from '../../format/when.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Dialog } from '../../ui/popup/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusBadge } from './entry-parts.tsx';
import { Fact, Only } from './fact.tsx';
import { KIND_LABELS } from './kinds.ts';
import type { LogSearch } from './log-search.ts';
import { WhatChanged } from './what-changed.tsx';

export interface LogEntryProps {
  readonly workspaceId: string;
  readonly entryId: string;
  /** The entry, when the list has it. */
  readonly known: AuditLogEntry | undefined;
  readonly keys: ReadonlyMap<string, ApiKey>;
  readonly onClose: () => void;
  readonly onFilter: (search: LogSearch) => void;
}

/** One entry with all that it says. */
export function LogEntry({ workspaceId, entryId, known, keys, onClose, onFilter }: LogEntryProps) {
  const {
    data: entry,
    error,
    refetch,
  } = useQuery({
    queryKey: ['log-entry', workspaceId, entryId],
    queryFn: ({ signal }) =>
      call<AuditLogEntry>(ofWorkspace(workspaceId, `/log/${encodeURIComponent(entryId)}`), { signal }),
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
        <Detail entry={entry} keyName={keys.get(entry.keyId ?? '')?.name} onFilter={onFilter} />
      )}
    </Dialog>
  );
}

interface DetailProps {
  readonly entry: AuditLogEntry;
  readonly keyName: string | undefined;
  readonly onFilter: (search: LogSearch) => void;
}

function Detail({ entry, keyName, onFilter }: DetailProps) {
  const { status, method, path, durationMs, ip, userAgent, requestId, recordIds, records, resource } = entry;
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-[minmax(4.5rem,auto)_minmax(0,1fr)] gap-x-4 sm:grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] sm:gap-x-5 gap-y-2 wrap-anywhere">
        <Fact name="Time">
          <When at={entry.createdAt} form="full" />{' '}
          <span className="text-soft">
            {TIME_ZONE}, {formatUtc(entry.createdAt)}
          </span>
        </Fact>
        {path === undefined ? null : (
          <Fact name="Request">
            <code>
              {method} {path}
            </code>
            <Only onClick={() => onFilter({ path, method: undefined })}>Only this path</Only>
          </Fact>
        )}
        {status === undefined ? null : (
          <Fact name="Status">
            <StatusBadge status={status} />
            <Only onClick={() => onFilter({ status: String(status) })}>Only this status</Only>
          </Fact>
        )}
        {entry.keyId === null ? null : (
          <Fact name="API key">
            {keyName === undefined ? null : `${keyName} `}
            <code className="text-soft">{entry.keyId}</code>
            <Only onClick={() => onFilter({ key: entry.keyId ?? undefined })}>Only this key</Only>
          </Fact>
        )}
        {entry.actor === null ? null : (
          <Fact name="Person">
            {entry.actor}
            <Only onClick={() => onFilter({ person: entry.actor ?? undefined })}>Only this person</Only>
          </Fact>
        )}
        <WhatChanged entry={entry} onFilter={onFilter} />
        {durationMs === undefined ? null : <Fact name="Took">{durationMs} ms</Fact>}
        {records === undefined ? null : (
          <Fact name="Records">
            {records.toLocaleString()} {resource}
          </Fact>
        )}
        {recordIds === undefined || recordIds.length === 0 ? null : (
          <Fact name="Records written">
            <span className="flex max-h-32 flex-col overflow-y-auto">
              {recordIds.map((id) => (
                <code key={id}>{id}</code>
              ))}
            </span>
          </Fact>
        )}
        {ip === undefined ? null : (
          <Fact name="Address">
            {ip}
            <Only onClick={() => onFilter({ address: ip })}>Only this address</Only>
          </Fact>
        )}
        {userAgent == null ? null : <Fact name="User agent">{userAgent}</Fact>}
        {requestId === undefined ? null : (
          <Fact name="Request id">
            <code>{requestId}</code>
            <Only onClick={() => onFilter({ request: requestId })}>Only this request</Only>
          </Fact>
        )}
      </dl>
      <CodeBlock label="the entry as JSON" code={JSON.stringify(entry, null, 2)} />
    </div>
  );
}
