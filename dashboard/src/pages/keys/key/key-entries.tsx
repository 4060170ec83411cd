import type { AnyAuditLogEntry, ApiKey } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keyEntriesQuery } from '../../../api/keys.ts';
import { MINUTE_MS } from '../../../format/ms.ts';
import { When } from '../../../format/when.tsx';
import { Section } from '../../../ui/card.tsx';
import { FailureState } from '../../../ui/failure-state.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../../../ui/table.tsx';
import { EntryTitle, StatusBadge } from '../../log/entry-parts.tsx';
import type { LogSearch } from '../../log/log-search.ts';
import { AddressTable } from './key-addresses.tsx';

export interface KeyEntriesProps {
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
}

/** Entries whose addresses are shown, and how many of them are listed. */
const READ = 100;
const SHOWN = 20;
const FAILED_SHOWN = 10;

/**
 * The latest requests of a key in the audit log. The service searches a limited number of entries, so the search begins when
 * the key was last used. That is known to the minute, so the search continues to the start of this minute.
 */
export function KeyEntries({ workspaceId, apiKey }: KeyEntriesProps) {
  const { id, lastUsedAt } = apiKey;
  const enabled = lastUsedAt !== null && apiKey.mode === 'live';
  const since = lastUsedAt ?? undefined;
  const to = since === undefined ? undefined : new Date(Date.parse(since) + MINUTE_MS).toISOString();
  const requests = { kind: 'api.request', keyId: id, to };
  const newest = useQuery({
    ...keyEntriesQuery(workspaceId, { ...requests, limit: READ }, since),
    enabled,
  });
  const failed = useQuery({
    ...keyEntriesQuery(workspaceId, { ...requests, statusMin: 400, limit: FAILED_SHOWN }, since),
    enabled,
  });
  const all: LogSearch = { kind: 'api.request', key: id, range: 'all' };
  const link = (search: LogSearch, text: string) => (
    <LogLink workspaceId={workspaceId} search={search}>
      {text}
    </LogLink>
  );
  if (!enabled) {
    return (
      <Section title="Latest requests">
        <p className="text-soft">
          {apiKey.mode === 'test'
            ? 'Requests with test keys have no entries in the audit log.'
            : 'No requests with this key yet.'}
        </p>
      </Section>
    );
  }
  return (
    <>
      <Section
        title="Latest failed requests"
        actions={link({ ...all, status: 'failed' }, 'All failed requests in the log')}
        flush
      >
        <Loaded query={failed} none="No failed requests among the latest entries.">
          {(entries) => (
            <EntryTable
              requests
              workspaceId={workspaceId}
              entries={entries}
              label="Failed requests of this key"
            />
          )}
        </Loaded>
      </Section>
      <Section
        title="Latest addresses"
        description={`Clients of the latest ${READ} requests in the audit log.`}
        flush
      >
        <Loaded query={newest} none="No requests among the latest entries.">
          {(entries) => <AddressTable workspaceId={workspaceId} keyId={id} entries={entries} />}
        </Loaded>
      </Section>
      <Section title="Latest requests" actions={link(all, 'All requests in the log')} flush>
        <Loaded query={newest} none="No requests among the latest entries.">
          {(entries) => (
            <EntryTable
              requests
              workspaceId={workspaceId}
              entries={entries.slice(0, SHOWN)}
              label="Requests of this key"
            />
          )}
        </Loaded>
      </Section>
    </>
  );
}

/** Who has created and changed a key. */
export function KeyChanges({ workspaceId, apiKey: { id } }: KeyEntriesProps) {
  const changes = useQuery(keyEntriesQuery(workspaceId, { targetId: id, limit: SHOWN }));
  return (
    <Section
      title="Changes of this key"
      actions={
        <LogLink workspaceId={workspaceId} search={{ target: id, range: 'all' }}>
          All changes in the log
        </LogLink>
      }
      flush
    >
      <Loaded query={changes} none="No changes among the latest entries of the workspace.">
        {(entries) => (
          <EntryTable
            requests={false}
            workspaceId={workspaceId}
            entries={entries}
            label="Entries about this key"
          />
        )}
      </Loaded>
    </Section>
  );
}

interface LogLinkProps {
  readonly workspaceId: string;
  readonly search: LogSearch;
  readonly children: ReactNode;
}

const LogLink = ({ workspaceId, search, children }: LogLinkProps) => (
  <Link
    to="/w/$workspaceId/log"
    params={{ workspaceId }}
    search={search}
    className="rounded text-sm text-accent hover:underline"
  >
    {children}
  </Link>
);

interface LoadedProps {
  readonly query: Pick<
    ReturnType<typeof useQuery<readonly AnyAuditLogEntry[]>>,
    'data' | 'error' | 'refetch'
  >;
  /** What is said if there are no entries. */
  readonly none: string;
  readonly children: (entries: readonly AnyAuditLogEntry[]) => ReactNode;
}

function Loaded({ query: { data, error, refetch }, none, children }: LoadedProps) {
  if (data !== undefined) return data.length === 0 ? <p className="p-4 text-soft">{none}</p> : children(data);
  if (error === null) return <SkeletonRows rows={3} />;
  return <FailureState error={error} retry={() => void refetch()} title="The entries could not be loaded" />;
}

interface EntryTableProps {
  readonly workspaceId: string;
  readonly label: string;
  readonly entries: readonly AnyAuditLogEntry[];
  /** Whether they are requests, which have a status. Others have a person. */
  readonly requests: boolean;
}

/** Entries of the audit log, each with a link to its fields. */
const EntryTable = ({ workspaceId, label, entries, requests }: EntryTableProps) => (
  <Table label={label}>
    <TableHead>
      <tr>
        <HeadCell>Time</HeadCell>
        {requests ? <HeadCell>Status</HeadCell> : null}
        <HeadCell>Event</HeadCell>
        {requests ? null : <HeadCell>Person</HeadCell>}
        <HeadCell className="hidden md:table-cell">IP address</HeadCell>
      </tr>
    </TableHead>
    <TableBody>
      {entries.map((entry) => (
        <Row key={entry.id}>
          <Cell className="w-36 text-sm">
            <Link
              to="/w/$workspaceId/log"
              params={{ workspaceId }}
              search={{ entry: entry.id }}
              className="inline-block rounded text-soft hover:text-ink hover:underline"
            >
              <When at={entry.createdAt} form="stamp" />
              <span className="sr-only">. Open the entry</span>
            </Link>
          </Cell>
          {requests ? (
            <Cell className="w-18">
              {entry.status === undefined ? null : <StatusBadge status={entry.status} />}
            </Cell>
          ) : null}
          <Cell className="max-w-0 min-w-28">
            <EntryTitle entry={entry} />
          </Cell>
          {requests ? null : (
            <Cell className="w-44 max-w-44 truncate text-sm">{entry.actor ?? 'Operator'}</Cell>
          )}
          <Cell className="hidden w-44 text-sm text-soft tabular-nums md:table-cell">{entry.ip}</Cell>
        </Row>
      ))}
    </TableBody>
  </Table>
);
