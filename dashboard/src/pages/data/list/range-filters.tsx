import { type RangeFilter, rangesOf } from '@svc/sdk/contract';
import { Fragment } from 'react';
import { TextFilter } from '../../../list/text-filter.tsx';
import { TimeBound } from '../../../list/time/time-bound.tsx';
import { fieldLabel } from '../../../resources/labels.ts';
import type { ResourceContract } from '../../../resources/resources.ts';
import { type DataSearch, rangeParam, sortOf, withRange } from '../data-search.ts';

export interface RangeFiltersProps {
  readonly id: string;
  readonly resource: ResourceContract;
  readonly search: DataSearch;
  readonly onChange: (changes: DataSearch) => void;
}

/** The ranges of a list, in a group for each of its sorts. A range of another field sorts the list by that field. */
export function RangeFilters({ id, resource, search, onChange }: RangeFiltersProps) {
  const sort = sortOf(resource, search);
  const groups = Map.groupBy(Object.entries(rangesOf(resource)), ([, range]) => range.fieldName);
  return (
    <div id={id} className="flex flex-wrap gap-x-6 gap-y-3">
      {[...groups].map(([fieldName, ranges]) => (
        <fieldset key={fieldName} className="min-w-0">
          <legend className="mb-1 text-sm font-medium">
            {fieldLabel(fieldName)}
            {fieldName === sort.fieldName ? null : (
              <span className="font-normal text-soft"> (sorts the list by it)</span>
            )}
          </legend>
          <div className="flex flex-wrap items-center gap-2">
            {ranges.map(([name, range], i) => (
              <Fragment key={name}>
                {i === 0 ? null : (
                  <span aria-hidden className="text-sm text-soft">
                    to
                  </span>
                )}
                <RangeBound
                  range={range}
                  value={range.sort === sort.name ? rangeParam(range, search[name]) : undefined}
                  onFilter={(value) => onChange(withRange(resource, search, name, value))}
                />
              </Fragment>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  );
}

interface RangeBoundProps {
  readonly range: RangeFilter;
  readonly value: string | undefined;
  readonly onFilter: (value: string | undefined) => void;
}

/** A bound of a range: an integer, or a time in the viewer's zone. */
function RangeBound({ range: { fieldName, field, operator }, value, onFilter }: RangeBoundProps) {
  const label = fieldLabel(fieldName);
  if (field.kind === 'integer') {
    const bound = operator === '>=' ? 'at least' : 'at most';
    return (
      <TextFilter
        type="number"
        min={field.min}
        max={field.max}
        label={`${label} ${bound}`}
        placeholder={operator === '>=' ? `From ${field.min}` : `To ${field.max}`}
        value={value}
        className="w-28"
        onFilter={onFilter}
      />
    );
  }
  return (
    <TimeBound
      label={`${label} ${operator === '>=' ? 'from' : 'before'}`}
      value={value}
      className="w-52"
      onFilter={onFilter}
    />
  );
}
