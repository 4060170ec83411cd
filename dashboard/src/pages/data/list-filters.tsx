import { sortsOf } from '@svc/sdk/contract';
import { ArrowUpToLine } from 'lucide-react';
import { fieldLabel, sortLabel, valueLabel } from '../../resources/labels.ts';
import type { ResourceContract } from '../../resources/resources.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/form/select.tsx';
import { CompanyFilter } from './company-filter.tsx';
import type { DataSearch } from './data-search.ts';

export interface ListFiltersProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly search: DataSearch;
  readonly companyName: (id: string) => string;
  readonly loadingNewer: boolean;
  /** Loads newer records. Undefined if the sort does not put them at the top of the list. */
  readonly onLoadNewer: (() => void) | undefined;
  readonly onChange: (changes: DataSearch) => void;
}

/** The filters and the sort of a list. */
export const ListFilters = (props: ListFiltersProps) => {
  const { workspaceId, resource, search, companyName, loadingNewer, onLoadNewer, onChange } = props;
  const sorts = sortsOf(resource);
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {Object.entries(resource.filters).map(([name, filter]) =>
        name === 'companyId' ? (
          <CompanyFilter
            key={name}
            workspaceId={workspaceId}
            companyId={search['companyId']}
            companyName={companyName}
            onChange={(companyId) => onChange({ companyId })}
          />
        ) : filter.kind !== 'choice' ? null : (
          <Select
            key={name}
            aria-label={fieldLabel(name)}
            className="w-36"
            value={search[name] ?? ''}
            options={[
              { value: '', label: `Any ${fieldLabel(name).toLowerCase()}` },
              ...filter.values.map((value) => ({ value, label: valueLabel(value) })),
            ]}
            onChange={({ target }) => onChange({ [name]: target.value || undefined })}
          />
        ),
      )}
      {sorts.length === 0 ? null : (
        <Select
          aria-label="Sort by"
          className="w-52"
          value={search['sort'] ?? sorts[0] ?? ''}
          options={sorts.map((value) => ({ value, label: sortLabel(value, resource) }))}
          onChange={({ target }) => onChange({ sort: target.value })}
        />
      )}
      <span className="grow" />
      {onLoadNewer === undefined ? null : (
        <Button busy={loadingNewer} onClick={onLoadNewer}>
          {loadingNewer ? null : <ArrowUpToLine size={14} aria-hidden />}
          Load newer
        </Button>
      )}
    </search>
  );
};
