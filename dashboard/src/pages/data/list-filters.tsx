import { capitalized, rangesOf, SEARCH, SEARCH_MAX_CHARACTERS, sortsOf } from '@svc/sdk/contract';
import { ArrowUpToLine, SlidersHorizontal, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { TextFilter } from '../../list/text-filter.tsx';
import { fieldLabel, sortLabel, valueLabel } from '../../resources/labels.ts';
import type { ResourceContract } from '../../resources/resources.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/form/select.tsx';
import { CompanyFilter } from './company-filter.tsx';
import { type DataSearch, isFiltered, listParams, sortOf, withSort } from './data-search.ts';
import { RangeFilters } from './list/range-filters.tsx';

export interface ListFiltersProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly search: DataSearch;
  /** Number of times all filters were cleared. A change also clears text that was not applied. */
  readonly clears: number;
  readonly companyName: (id: string) => string;
  readonly loadingNewer: boolean;
  /** Loads newer records. Undefined if the sort does not put them at the top of the list. */
  readonly onLoadNewer: (() => void) | undefined;
  /** `replace`: without an entry of the history. Default: false. */
  readonly onChange: (changes: DataSearch, replace?: boolean) => void;
  readonly onClear: () => void;
  readonly columnMenu: ReactNode;
}

/** The filters and the sort of a list. */
export function ListFilters(props: ListFiltersProps) {
  const { workspaceId, resource, search, clears, companyName } = props;
  const { loadingNewer, onLoadNewer, onChange, onClear, columnMenu } = props;
  const sorts = sortsOf(resource);
  const sort = sortOf(resource, search);
  const params = listParams(resource, search);
  const rangesId = useId();
  const [rangesOpen, setRangesOpen] = useState(
    Object.keys(rangesOf(resource)).some((name) => name in params),
  );
  return (
    <search aria-label="Filters" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchFilter resource={resource} search={search} onChange={onChange} />
        {Object.entries(resource.filters).map(([name, filter]) =>
          name === 'companyId' ? (
            <CompanyFilter
              key={name}
              workspaceId={workspaceId}
              companyId={search['companyId']}
              companyName={companyName}
              onChange={(companyId) => onChange({ companyId })}
            />
          ) : filter.kind === 'choice' ? (
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
          ) : (
            <TextFilter
              key={name}
              label={fieldLabel(name)}
              placeholder={fieldLabel(name)}
              value={search[name]}
              className="w-36"
              onFilter={(value) => onChange({ [name]: value })}
            />
          ),
        )}
        <Button
          aria-expanded={rangesOpen}
          aria-controls={rangesOpen ? rangesId : undefined}
          onClick={() => setRangesOpen(!rangesOpen)}
        >
          <SlidersHorizontal size={14} aria-hidden />
          Ranges
        </Button>
        {sorts.length === 0 ? null : (
          <Select
            aria-label="Sort by"
            className="w-52"
            value={sort.value}
            options={sorts.map((value) => ({ value, label: sortLabel(value, resource) }))}
            onChange={({ target }) => onChange(withSort(resource, target.value))}
          />
        )}
        {isFiltered(params) ? (
          <Button variant="ghost" onClick={onClear}>
            <X size={14} aria-hidden />
            Clear filters
          </Button>
        ) : null}
        <div className="ms-auto flex gap-2">
          {columnMenu}
          {onLoadNewer === undefined ? null : (
            <Button busy={loadingNewer} onClick={onLoadNewer}>
              {loadingNewer ? null : <ArrowUpToLine size={14} aria-hidden />}
              Load newer
            </Button>
          )}
        </div>
      </div>
      {rangesOpen ? (
        <RangeFilters key={clears} id={rangesId} resource={resource} search={search} onChange={onChange} />
      ) : null}
      {sort.fieldName in resource.fields ? null : (
        <p className="text-sm text-soft">
          Sorted by when the service created each {resource.singular}. {capitalized(resource.plural)} do not
          show this time.
        </p>
      )}
    </search>
  );
}

/** The search of a list, if it has one. */
const SearchFilter = ({
  resource: { plural, searched },
  search,
  onChange,
}: Pick<ListFiltersProps, 'resource' | 'search' | 'onChange'>) =>
  searched === undefined ? null : (
    <TextFilter
      type="search"
      label={`Search ${plural}`}
      placeholder={`Search ${[...searched, 'id'].map((name) => fieldLabel(name)).join(', ')}`}
      maxLength={SEARCH_MAX_CHARACTERS}
      value={search[SEARCH]}
      className="w-full sm:w-56"
      onFilter={(text, replace) => onChange({ [SEARCH]: text }, replace)}
    />
  );
