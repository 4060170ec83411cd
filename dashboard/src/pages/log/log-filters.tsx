import type { ApiKey } from '@svc/sdk';
import { type AuditLogKind, HTTP_METHODS, type HttpMethod } from '@svc/sdk/contract';
import { SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import { useNarrow } from '../../list/narrow.ts';
import { TextFilter } from '../../list/text-filter.tsx';
import { TimeFilter } from '../../list/time/time-filter.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/form/select.tsx';
import { KIND_LABELS } from './kinds.ts';
import { isFiltered, type LogSearch, RANGE_DEFAULT, STATUS_GROUPS } from './log-search.ts';

export interface LogFiltersProps {
  readonly search: LogSearch;
  readonly keys: ReadonlyMap<string, ApiKey>;
  /** Sets the given filters and keeps the others. */
  readonly onFilter: (search: LogSearch) => void;
  readonly onClear: () => void;
}

const kinds = Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label }));
const methods = HTTP_METHODS.map((value) => ({ value, label: value }));
const statusGroups = Object.entries(STATUS_GROUPS).map(([value, { label }]) => ({ value, label }));

/** Text filters that match exactly. */
const EXACT: readonly {
  readonly name: 'person' | 'address' | 'request' | 'target';
  readonly label: string;
  /** Default: the label. */
  readonly placeholder?: string;
}[] = [
  { name: 'person', label: 'Person', placeholder: 'Person (email)' },
  { name: 'address', label: 'IP address' },
  { name: 'request', label: 'Request id' },
  { name: 'target', label: 'Target id' },
];

/** On a phone, these fields are below the button "More filters". */
const TEXT_FILTERS = ['path', ...EXACT.map(({ name }) => name)] as const;

const TEXT_CLASS = 'col-span-2 grow sm:max-w-72 sm:basis-36';

const any = (label: string) => ({ value: '', label });
/** The options, and the selected value if it is not one of them. */
const withSelected = (options: readonly { value: string; label: string }[], selected: string | undefined) =>
  selected === undefined || options.some(({ value }) => value === selected)
    ? options
    : [...options, { value: selected, label: selected }];

export function LogFilters({ search, keys, onFilter, onClear }: LogFiltersProps) {
  const keyOptions = [...keys.values()].map(({ id, name, hint }) => ({
    value: id,
    label: `${name} (${hint})`,
  }));
  const { range = RANGE_DEFAULT, kind, status, method, key } = search;
  const narrow = useNarrow();
  const [more, setMore] = useState(false);
  // A filter that is set is always visible.
  const set = TEXT_FILTERS.some((name) => search[name] !== undefined);
  // The fields stay when the last one is emptied, because the person may go on typing in it.
  const filterByText = (changes: LogSearch): void => {
    setMore(true);
    onFilter(changes);
  };
  const clear = (): void => {
    setMore(false);
    onClear();
  };
  return (
    <search aria-label="Filters" className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <TimeFilter value={{ ...search, range }} onChange={onFilter} />
      <Select
        aria-label="Kind"
        className="sm:w-32"
        value={kind ?? ''}
        options={[any('Any kind'), ...kinds]}
        onChange={({ target }) => onFilter({ kind: (target.value || undefined) as AuditLogKind | undefined })}
      />
      <Select
        aria-label="Status"
        className="sm:w-44"
        value={status ?? ''}
        options={[any('Any status'), ...withSelected(statusGroups, status)]}
        onChange={({ target }) => onFilter({ status: target.value || undefined })}
      />
      <Select
        aria-label="Method"
        className="sm:w-32"
        value={method ?? ''}
        options={[any('Any method'), ...methods]}
        onChange={({ target }) => onFilter({ method: (target.value || undefined) as HttpMethod | undefined })}
      />
      <Select
        aria-label="API key"
        className="col-span-2 sm:w-36"
        value={key ?? ''}
        options={[any('Any key'), ...withSelected(keyOptions, key)]}
        onChange={({ target }) => onFilter({ key: target.value || undefined })}
      />
      {narrow && !set ? (
        <Button className="col-span-2" aria-expanded={more} onClick={() => setMore(!more)}>
          <SlidersHorizontal size={14} aria-hidden />
          More filters
        </Button>
      ) : null}
      {narrow && !more && !set ? null : <TextFilters search={search} onFilter={filterByText} />}
      {isFiltered(search) ? (
        <Button variant="ghost" onClick={clear}>
          <X size={14} aria-hidden />
          Clear filters
        </Button>
      ) : null}
    </search>
  );
}

/** The filters by a text. */
const TextFilters = ({ search, onFilter }: Pick<LogFiltersProps, 'search' | 'onFilter'>) => (
  <>
    <TextFilter
      label="Path. End it with * to match a prefix."
      placeholder="Path or prefix*"
      value={search.path}
      tidy={(text) => (text.startsWith('/') ? text : `/${text}`)}
      className={TEXT_CLASS}
      onFilter={(path) => onFilter({ path })}
    />
    {EXACT.map(({ name, label, placeholder = label }) => (
      <TextFilter
        key={name}
        label={label}
        placeholder={placeholder}
        value={search[name]}
        className={TEXT_CLASS}
        onFilter={(value) => onFilter({ [name]: value })}
      />
    ))}
  </>
);
