import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { ArrowUpToLine } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/form/select.tsx';
import { CompanyFilter } from './company-filter.tsx';
import type { DataSearch } from './data-search.ts';
import { fieldLabel, sortLabel, valueLabel } from './labels.ts';

export interface ListFiltersProps {
  readonly workspaceId: string;
  readonly shape: ResourceShape;
  readonly search: DataSearch;
  readonly companyName: (id: string) => string;
  readonly loadingNewer: boolean;
  /** Loads newer records. Undefined if the sort does not put them at the top of the list. */
  readonly onLoadNewer: (() => void) | undefined;
  readonly onChange: (changes: DataSearch) => void;
}

/** The filters and the sort of a list. */
export const ListFilters = (props: ListFiltersProps) => {
  const { workspaceId, shape, search, companyName, loadingNewer, onLoadNewer, onChange } = props;
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {shape.filters.map(({ name, values }) =>
        name === 'companyId' ? (
          <CompanyFilter
            key={name}
            workspaceId={workspaceId}
            companyId={search.companyId}
            companyName={companyName}
            onChange={(companyId) => onChange({ companyId })}
          />
        ) : values === null ? null : (
          <Select
            key={name}
            aria-label={fieldLabel(name)}
            className="w-36"
            value={search[name as keyof DataSearch] ?? ''}
            options={[
              { value: '', label: `Any ${fieldLabel(name).toLowerCase()}` },
              ...values.map((value) => ({ value, label: valueLabel(value) })),
            ]}
            onChange={({ target }) => onChange({ [name]: target.value || undefined })}
          />
        ),
      )}
      {shape.sorts.length === 0 ? null : (
        <Select
          aria-label="Sort by"
          className="w-52"
          value={search.sort ?? shape.sorts[0] ?? ''}
          options={shape.sorts.map((value) => ({ value, label: sortLabel(value, shape.fields) }))}
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
