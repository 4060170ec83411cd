import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ofWorkspace } from '../../api/client.ts';
import { useCompanyNames } from '../../api/company-names.ts';
import { messageOf } from '../../api/failure.ts';
import { useResource } from '../../api/resources.ts';
import { useWorkspace } from '../../api/workspace.ts';
import { counted } from '../../format/plural.ts';
import { Page } from '../../layout/page.tsx';
import { PageSkeleton } from '../../layout/page-skeleton.tsx';
import { useCursorList } from '../../list/cursor-list.ts';
import { ListEnd } from '../../list/list-end.tsx';
import { VirtualTable } from '../../list/virtual-table.tsx';
import { whyNot } from '../../session/permissions.ts';
import { useWorkspaceId } from '../../session/workspace-id.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast/toast-store.ts';
import { dataColumns, recordPath } from './columns.tsx';
import type { DataSearch } from './data-search.ts';
import { FileTarget } from './import/file-target.tsx';
import { ImportDialog } from './import/import-dialog.tsx';
import { isNewestFirst, nounOf, valueLabel } from './labels.ts';
import { ListFilters } from './list-filters.tsx';
import { NoRecords } from './no-records.tsx';
import { type DataRecord, useResourceName } from './record.ts';

export function ListPage() {
  const name = useResourceName();
  const { shape, error, refetch } = useResource(name);
  if (error !== null) return <FailureState error={error} retry={() => void refetch()} />;
  return shape === undefined ? <PageSkeleton /> : <List key={name} shape={shape} />;
}

function List({ shape }: { readonly shape: ResourceShape }) {
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const search: DataSearch = useSearch({ strict: false });
  const { sort, companyId, status } = search;
  const path = ofWorkspace(workspaceId, `/data/${shape.name}`);
  const params = useMemo(
    () => paramsOf(shape, { sort, companyId, status }),
    [shape, sort, companyId, status],
  );
  const list = useCursorList<DataRecord>(path, params);
  const companyName = useCompanyNames(workspaceId, companyIds(list.items, companyId));
  const [loadingNewer, setLoadingNewer] = useState(false);
  // A dropped file, or `choose` if the dialog asks for one.
  const [importing, setImporting] = useState<File | 'choose' | null>(null);
  const blocked = whyNot(useWorkspace(workspaceId).role, 'record.import');
  const [one, many] = nounOf(shape);
  const loadNewer = async (): Promise<void> => {
    setLoadingNewer(true);
    try {
      const found = await list.loadNewer();
      toast(found === 0 ? `No new ${many}.` : `${counted(found, [`new ${one}`, `new ${many}`])}.`);
    } catch (caught) {
      toast(messageOf(caught), 'bad');
    } finally {
      setLoadingNewer(false);
    }
  };
  const set = (changes: DataSearch): void => {
    void navigate({ to: '.', search: (before: DataSearch) => ({ ...before, ...changes }) });
  };
  const filtered = Object.keys(params).some((key) => key !== 'sort');
  return (
    <Page
      title={valueLabel(shape.name)}
      description={shape.description}
      actions={
        <Button blocked={blocked} onClick={() => setImporting('choose')}>
          <FileUp size={14} aria-hidden />
          Import
        </Button>
      }
    >
      <ListFilters
        workspaceId={workspaceId}
        shape={shape}
        search={search}
        companyName={companyName}
        loadingNewer={loadingNewer}
        onLoadNewer={isNewestFirst(sort ?? shape.sorts[0]) ? () => void loadNewer() : undefined}
        onChange={set}
      />
      <FileTarget onFile={blocked === undefined ? setImporting : undefined}>
        <Card className="overflow-hidden">
          {list.items === undefined && list.error !== null ? (
            <FailureState
              error={list.error}
              retry={list.reload}
              title={`The ${shape.name} could not be loaded`}
            />
          ) : list.items === undefined ? (
            <SkeletonRows rows={10} />
          ) : list.items.length === 0 ? (
            <NoRecords
              shape={shape}
              filtered={filtered}
              onClear={() => set({ companyId: undefined, status: undefined })}
              {...(blocked === undefined ? { onImport: () => setImporting('choose') } : {})}
            />
          ) : (
            <>
              <VirtualTable
                label={valueLabel(shape.name)}
                columns={dataColumns(workspaceId, shape, companyName)}
                items={list.items}
                more={list.more}
                onOpen={({ id }) =>
                  void navigate({ to: recordPath(shape.name), params: { workspaceId, recordId: id } })
                }
              />
              <ListEnd list={list} noun={nounOf(shape)} />
            </>
          )}
        </Card>
      </FileTarget>
      {importing === null ? null : (
        <ImportDialog
          workspaceId={workspaceId}
          shape={shape}
          dropped={importing === 'choose' ? undefined : importing}
          onClose={() => setImporting(null)}
        />
      )}
    </Page>
  );
}

/** The parameters of the list. Drops what the URL has in addition, which the service would refuse. */
function paramsOf(shape: ResourceShape, search: DataSearch): Readonly<Record<string, string>> {
  const known = ['sort', ...shape.filters.map((filter) => filter.name)];
  return Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) =>
        value !== undefined && known.includes(name) && (name !== 'sort' || shape.sorts.includes(value)),
    ),
  );
}

function companyIds(items: readonly DataRecord[] | undefined, chosen: string | undefined): readonly string[] {
  const ids = new Set(chosen === undefined ? [] : [chosen]);
  for (const { companyId } of items ?? []) if (companyId !== undefined) ids.add(String(companyId));
  return [...ids];
}
