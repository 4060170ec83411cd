import { capitalized } from '@svc/sdk/contract';
import { getRouteApi } from '@tanstack/react-router';
import { Download, FileUp, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useCompanyNames } from '../../api/company-names.ts';
import { messageOf } from '../../api/failure.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { useChunk } from '../../chunks/use-chunk.ts';
import { counted } from '../../format/plural.ts';
import { Page } from '../../layout/page.tsx';
import { useCursorList } from '../../list/cursor-list.ts';
import { ListEnd } from '../../list/list-end.tsx';
import { useNarrow } from '../../list/narrow.ts';
import { useSelection } from '../../list/selection.ts';
import { VirtualTable } from '../../list/virtual-table.tsx';
import { nounOf } from '../../resources/labels.ts';
import {
  companyOf,
  type DataRecord,
  findResource,
  type ResourceContract,
  titleOf,
} from '../../resources/resources.ts';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { focusFirstFilter } from '../../ui/move-focus.ts';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { dataColumns } from './columns.tsx';
import {
  COLUMNS,
  type DataSearch,
  isFiltered,
  isNewestFirst,
  listParams,
  noFilters,
  sortOf,
  withSort,
} from './data-search.ts';
import { CreateRecord } from './forms/create-record.tsx';
import { FileTarget } from './import/file-target.tsx';
import { useChosenColumns } from './list/chosen-columns.ts';
import { ColumnMenu } from './list/column-menu.tsx';
import { STACKED_ROW_PIXELS } from './list/stacked-values.tsx';
import { useListDialog } from './list/use-list-dialog.ts';
import { useTotal } from './list/use-total.ts';
import { ListFilters } from './list-filters.tsx';
import { NoRecords } from './no-records.tsx';
import { listPath } from './record-query.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/data/$resource');

export function ListPage() {
  const { workspaceId, resource: name } = route.useParams();
  const resource = findResource(name);
  // For an unknown resource, the route shows the page "Page not found" instead.
  return resource === undefined ? null : <List key={name} workspaceId={workspaceId} resource={resource} />;
}

const loadExport = () => import('./export/export-list.tsx');
const loadImport = () => import('./import/import-dialog.tsx');
const NO_RECORDS: readonly DataRecord[] = [];

interface ListProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
}

function List({ workspaceId, resource }: ListProps) {
  const navigate = route.useNavigate();
  const { dialog: _, ...search } = route.useSearch();
  const narrow = useNarrow();
  const sort = sortOf(resource, search);
  const columns = useChosenColumns(resource, sort.fieldName, search[COLUMNS], (choice) => {
    const next = (before: DataSearch) => ({ ...before, [COLUMNS]: choice });
    void navigate({ search: next, replace: true, resetScroll: false, ignoreBlocker: true });
  });
  // Other columns show the same list.
  const listKey = JSON.stringify(listParams(resource, search));
  const params = useMemo(() => JSON.parse(listKey) as ReturnType<typeof listParams>, [listKey]);
  const list = useCursorList<DataRecord>(listPath(workspaceId, resource.name), params);
  // Another order shows the same records, so they stay selected.
  const selection = useSelection(list.items ?? NO_RECORDS, JSON.stringify({ ...params, sort: undefined }));
  const total = useTotal(workspaceId, resource, params);
  const companyName = useCompanyNames(workspaceId, companyIds(resource, list.items, search['companyId']));
  const [loadingNewer, setLoadingNewer] = useState(false);
  const [clears, setClears] = useState(0);
  const { role } = useWorkspace(workspaceId);
  const blocked = whyNot(role, 'record.import');
  const selectable = whyNot(role, 'record.change') === undefined;
  const { shown, file, show, close } = useListDialog(role);
  const ExportList = useChunk(loadExport, shown === 'export', close);
  const ImportDialog = useChunk(loadImport, shown === 'import', close);
  const { singular, plural } = resource;
  const companyId = search['companyId'];
  const loadNewer = async (): Promise<void> => {
    setLoadingNewer(true);
    try {
      const { found } = await list.loadNewer();
      toast(
        found === 0 ? `No newer ${plural}.` : `${counted(found, [`newer ${singular}`, `newer ${plural}`])}.`,
      );
    } catch (caught) {
      toast(messageOf(caught), 'bad');
    } finally {
      setLoadingNewer(false);
    }
  };
  const set = (changes: DataSearch, replace = false): void => {
    void navigate({ search: (before) => ({ ...before, ...changes }), replace });
  };
  const clear = (): void => {
    setClears(clears + 1);
    set(noFilters(resource));
    // The button disappears.
    focusFirstFilter();
  };
  return (
    <Page
      title={capitalized(plural)}
      description={resource.description}
      actions={
        <>
          <Button onClick={() => show('export')}>
            <Download size={14} aria-hidden />
            Export
          </Button>
          <Button blocked={blocked} onClick={() => show('import')}>
            <FileUp size={14} aria-hidden />
            Import
          </Button>
          <Button variant="primary" blocked={whyNot(role, 'record.change')} onClick={() => show('create')}>
            <Plus size={14} aria-hidden />
            Create {singular}
          </Button>
        </>
      }
    >
      <ListFilters
        workspaceId={workspaceId}
        resource={resource}
        search={search}
        clears={clears}
        companyName={companyName}
        loadingNewer={loadingNewer}
        onLoadNewer={isNewestFirst(resource, search) ? () => void loadNewer() : undefined}
        onChange={set}
        onClear={clear}
        columnMenu={<ColumnMenu resource={resource} columns={columns} sorted={sort.fieldName} />}
      />
      <FileTarget onFile={blocked === undefined ? (dropped) => show('import', dropped) : undefined}>
        <Card className="overflow-hidden">
          {list.items === undefined && list.error !== null ? (
            <FailureState
              error={list.error}
              retry={list.reload}
              title={`The ${plural} could not be loaded`}
            />
          ) : list.items?.length === 0 && !list.more ? (
            <NoRecords
              resource={resource}
              filtered={isFiltered(params)}
              onClear={clear}
              {...(blocked === undefined ? { onImport: () => show('import') } : {})}
            />
          ) : (
            <>
              {/* It stays while another order loads, so that its heads keep the focus. */}
              {list.items?.length === 0 ? null : (
                <VirtualTable
                  label={capitalized(plural)}
                  columns={dataColumns({
                    workspaceId,
                    resource,
                    companyName,
                    names: columns.names,
                    sort,
                    stacked: narrow,
                    onSort: (next) => set(withSort(resource, next)),
                  })}
                  {...(narrow ? { rowPixels: STACKED_ROW_PIXELS } : {})}
                  items={list.items ?? NO_RECORDS}
                  {...(selectable ? { selection } : {})}
                  nameOf={(record) => titleOf(resource, record)}
                  more={list.items === undefined || list.more}
                  onOpen={({ id }) =>
                    void navigate({
                      to: '/w/$workspaceId/data/$resource/$recordId',
                      params: { workspaceId, resource: resource.name, recordId: id },
                    })
                  }
                />
              )}
              {list.items === undefined ? (
                <SkeletonRows rows={10} />
              ) : (
                <ListEnd key={listKey} list={list} noun={nounOf(resource)} total={total} />
              )}
            </>
          )}
        </Card>
      </FileTarget>
      <BulkBar workspaceId={workspaceId} resource={resource} selection={selection} allowed={selectable} />
      {shown === 'import' && ImportDialog !== null ? (
        <ImportDialog workspaceId={workspaceId} resource={resource} dropped={file} onClose={close} />
      ) : null}
      {shown === 'export' && ExportList !== null ? (
        <ExportList
          workspaceId={workspaceId}
          resource={resource}
          params={params}
          total={total}
          onClose={close}
        />
      ) : null}
      {shown === 'create' ? (
        <CreateRecord
          workspaceId={workspaceId}
          resource={resource}
          company={
            companyId === undefined
              ? undefined
              : { id: companyId, name: companyName(companyId), domain: null }
          }
          onClose={close}
        />
      ) : null}
    </Page>
  );
}

/** The companies of the records and of the filter, for their names. */
function companyIds(
  resource: ResourceContract,
  items: readonly DataRecord[] | undefined,
  chosen: string | undefined,
): readonly (string | null)[] {
  if (resource.company === 'id') return [];
  return [chosen ?? null, ...(items ?? []).map((record) => companyOf(resource, record))];
}
