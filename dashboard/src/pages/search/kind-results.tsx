import { capitalized, SEARCH } from '@svc/sdk/contract';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useCompanyNames } from '../../api/company-names.ts';
import { useCursorList } from '../../list/cursor-list.ts';
import { ListEnd } from '../../list/list-end.tsx';
import { useNarrow } from '../../list/narrow.ts';
import { VirtualTable } from '../../list/virtual-table.tsx';
import { nounOf } from '../../resources/labels.ts';
import { columnsOf, companyOf, type DataRecord, type ResourceContract } from '../../resources/resources.ts';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { dataColumns } from '../data/columns.tsx';
import { sortOf } from '../data/data-search.ts';
import { STACKED_ROW_PIXELS } from '../data/list/stacked-values.tsx';
import { listPath } from '../data/record-query.ts';
import { NoResults } from './no-results.tsx';

export interface KindResultsProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly text: string;
}

const NEWEST_FIRST = 'created-descending';

/** All records of a resource that the search finds, newest first, page by page. */
export function KindResults({ workspaceId, resource, text }: KindResultsProps) {
  const navigate = useNavigate();
  const narrow = useNarrow();
  const params = useMemo(() => ({ [SEARCH]: text }), [text]);
  const list = useCursorList<DataRecord>(listPath(workspaceId, resource.name), params);
  const { items, error, more, reload } = list;
  const companyName = useCompanyNames(
    workspaceId,
    (items ?? []).map((record) => companyOf(resource, record)),
  );
  if (items === undefined) {
    if (error === null) return <SkeletonRows rows={10} />;
    return <FailureState error={error} retry={reload} title="The search failed" />;
  }
  if (items.length === 0 && !more) return <NoResults />;
  const sort = sortOf(resource, { sort: NEWEST_FIRST });
  return (
    <>
      {items.length === 0 ? null : (
        <VirtualTable
          label={capitalized(resource.plural)}
          columns={dataColumns({
            workspaceId,
            resource,
            companyName,
            names: columnsOf(resource, sort.fieldName),
            sort,
            stacked: narrow,
          })}
          {...(narrow ? { rowPixels: STACKED_ROW_PIXELS } : {})}
          items={items}
          more={more}
          onOpen={({ id }) =>
            void navigate({
              to: '/w/$workspaceId/data/$resource/$recordId',
              params: { workspaceId, resource: resource.name, recordId: id },
            })
          }
        />
      )}
      <ListEnd list={list} noun={nounOf(resource)} />
    </>
  );
}
