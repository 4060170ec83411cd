import { X } from 'lucide-react';
import { TimeFilter } from '../../../list/time/time-filter.tsx';
import type { Range } from '../../../list/time/time-range.ts';
import { valueLabel } from '../../../resources/labels.ts';
import { oneOf } from '../../../routes/search.ts';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/form/select.tsx';
import { DELIVERY_GROUPS } from '../event-types.ts';
import { STATES, type WebhookSearch } from './webhook-search.ts';

const STATE_OPTIONS = [
  { value: '', label: 'Any state' },
  ...STATES.map((value) => ({ value, label: valueLabel(value) })),
];
const TYPE_OPTIONS = [
  { value: '', label: 'Any type' },
  ...DELIVERY_GROUPS.map(({ label, types }) => ({
    group: label,
    options: types.map((type) => ({ value: type, label: type })),
  })),
];

export interface DeliveryFiltersProps {
  readonly search: WebhookSearch & { readonly range: Range };
  /** Sets the given filters and keeps the others. */
  readonly onFilter: (change: WebhookSearch) => void;
  /** Removes all filters. Absent if there are none. */
  readonly onClear?: () => void;
}

export const DeliveryFilters = ({ search, onFilter, onClear }: DeliveryFiltersProps) => (
  <search aria-label="Filters" className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
    <Select
      aria-label="State"
      className="sm:w-32"
      value={search.state ?? ''}
      options={STATE_OPTIONS}
      onChange={({ target }) => onFilter({ state: oneOf(target.value, STATES) })}
    />
    <Select
      aria-label="Type"
      className="sm:w-44"
      value={search.type ?? ''}
      options={TYPE_OPTIONS}
      onChange={({ target }) => onFilter({ type: target.value || undefined })}
    />
    <TimeFilter value={search} onChange={onFilter} />
    {onClear === undefined ? null : (
      <Button variant="ghost" onClick={onClear}>
        <X size={14} aria-hidden />
        Clear filters
      </Button>
    )}
  </search>
);
