import type { AnyAuditLogEntry } from '@svc/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { Download, Radio, ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ofWorkspace } from '../../api/client.ts';
import { messageOf } from '../../api/failure.ts';
import { useKeys } from '../../api/keys.ts';
import { useChunk } from '../../chunks/use-chunk.ts';
import { ZoneNote } from '../../format/zone-note.tsx';
import { Page } from '../../layout/page.tsx';
import { useCursorList } from '../../list/cursor-list.ts';
import { useFiltersNow } from '../../list/filters-now.ts';
import { ListEnd } from '../../list/list-end.tsx';
import { useNarrow } from '../../list/narrow.ts';
import { VirtualTable } from '../../list/virtual-table.tsx';
import { PAGE_HEADS } from '../../page-heads.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { focusFirstFilter } from '../../ui/move-focus.ts';
import { Problem } from '../../ui/problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { STACKED_ROW_PIXELS } from '../data/list/stacked-values.tsx';
import { useLiveTail } from './live-tail.ts';
import { logColumns, stackedColumns } from './log-columns.tsx';
import { LogEntry } from './log-entry.tsx';
import { LogFilters } from './log-filters.tsx';
import { isFiltered, type LogSearch, logParams } from './log-search.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/log');
/** A person and a key in one cell are targets of 24 pixels each. */
const ROW_PIXELS = 48;
const NO_FILTERS: LogSearch = {
  kind: undefined,
  status: undefined,
  method: undefined,
  key: undefined,
  path: undefined,
  person: undefined,
  target: undefined,
  address: undefined,
  request: undefined,
};

const loadExport = () => import('./export-log.tsx');

export function LogPage() {
  const { workspaceId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [live, setLive] = useState(false);
  const keys = useKeys(workspaceId);
  const { entry, dialog, ...filters } = search;
  const filterKey = JSON.stringify(filters);
  const path = ofWorkspace(workspaceId, '/log');
  const nowMs = useFiltersNow(filterKey);
  const params = useMemo(() => logParams(JSON.parse(filterKey) as LogSearch, nowMs), [filterKey, nowMs]);
  const list = useCursorList<AnyAuditLogEntry>(path, params);
  const upToNow = params['to'] === undefined;
  const tail = useLiveTail(list, live && upToNow);

  const set = (changes: LogSearch): void => {
    void navigate({ search: (before: LogSearch) => ({ ...before, entry: undefined, ...changes }) });
  };
  /** Opens or closes the export. A finished export closes it while it still counts as running. */
  const showDialog = (shown: LogSearch['dialog']): void => {
    const next = (before: LogSearch) => ({ ...before, dialog: shown });
    void navigate({ search: next, replace: true, resetScroll: false, ignoreBlocker: true });
  };
  const ExportLog = useChunk(loadExport, dialog === 'export', () => showDialog(undefined));
  const clear = (): void => {
    set(NO_FILTERS);
    // The button disappears.
    focusFirstFilter();
  };
  /** Opens an entry, or closes it. The list behind the dialog stays where it is. */
  const showEntry = (id: string | undefined): void => {
    void navigate({
      search: (before: LogSearch) => ({ ...before, entry: id }),
      replace: id === undefined,
      resetScroll: false,
    });
  };
  const show = ({ id }: AnyAuditLogEntry): void => showEntry(id);
  const narrow = useNarrow();
  const columns = (narrow ? stackedColumns : logColumns)(keys, set, show);
  return (
    <Page
      {...PAGE_HEADS['/w/$workspaceId/log']}
      note={<ZoneNote />}
      actions={
        <>
          <Button
            aria-pressed={live && upToNow}
            variant={live && upToNow ? 'primary' : 'secondary'}
            blocked={
              upToNow ? undefined : 'The selected time range has an end, so no new entries can appear.'
            }
            onClick={() => setLive(!live)}
          >
            <Radio size={14} aria-hidden className={live && upToNow ? 'animate-pulse' : undefined} />
            {live && upToNow ? 'Live' : 'Go live'}
          </Button>
          <Button onClick={() => showDialog('export')}>
            <Download size={14} aria-hidden />
            Export
          </Button>
        </>
      }
    >
      <LogFilters search={search} keys={keys} onFilter={set} onClear={clear} />
      {tail.error === null ? null : (
        <Problem>New entries could not be loaded. Trying again… {messageOf(tail.error)}</Problem>
      )}
      <Card className="overflow-hidden">
        {list.items === undefined && list.error !== null ? (
          <FailureState error={list.error} retry={list.reload} title="The log could not be loaded" />
        ) : list.items === undefined ? (
          <SkeletonRows rows={10} />
        ) : list.items.length === 0 && !list.more ? (
          <NoEntries
            filtered={isFiltered(search)}
            backwards={isBackwards(params)}
            live={live}
            onClear={clear}
          />
        ) : (
          <>
            {list.items.length === 0 ? null : (
              <VirtualTable
                label="Audit log"
                columns={columns}
                items={list.items}
                more={list.more}
                onOpen={show}
                rowPixels={narrow ? STACKED_ROW_PIXELS : ROW_PIXELS}
              />
            )}
            <ListEnd key={filterKey} list={list} noun={['entry', 'entries']} />
          </>
        )}
      </Card>
      {dialog === 'export' && ExportLog !== null ? (
        <ExportLog workspaceId={workspaceId} params={params} onClose={() => showDialog(undefined)} />
      ) : null}
      {entry === undefined ? null : (
        <LogEntry
          key={entry}
          workspaceId={workspaceId}
          entryId={entry}
          known={list.items?.find(({ id }) => id === entry)}
          keys={keys}
          onClose={() => showEntry(undefined)}
          onFilter={set}
        />
      )}
    </Page>
  );
}

interface NoEntriesProps {
  readonly filtered: boolean;
  /** Whether the time range ends before it starts. */
  readonly backwards: boolean;
  readonly live: boolean;
  readonly onClear: () => void;
}

const isBackwards = ({ from, to }: ReturnType<typeof logParams>): boolean =>
  from !== undefined && to !== undefined && from > to;

function NoEntries({ filtered, backwards, live, onClear }: NoEntriesProps) {
  if (backwards) {
    return (
      <EmptyState icon={ScrollText} title="The time range ends before it starts">
        Choose an end after the start.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={ScrollText}
      title={filtered ? 'No entries match these filters' : 'No entries in this time range'}
      actions={filtered ? <Button onClick={onClear}>Clear filters</Button> : undefined}
    >
      {live
        ? 'New entries appear here.'
        : 'Choose a longer time range, or send a request with a live key. Requests with test keys have no entries.'}
    </EmptyState>
  );
}
