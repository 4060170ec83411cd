import { sortsOf } from '@svc/sdk/contract';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../list/virtual-table.tsx';
import { fieldLabel } from '../../resources/labels.ts';
import {
  type DataRecord,
  type Field,
  namingField,
  type ResourceContract,
  sortedField,
} from '../../resources/resources.ts';
import { classes } from '../../ui/classes.ts';
import type { ListSort } from './data-search.ts';
import { StackedValues } from './list/stacked-values.tsx';
import { Value } from './value.tsx';

const FIRST_COLUMN = 'min-w-44 max-w-0 w-full truncate';
/** Texts and names of companies are truncated. Other values keep their width. */
const classOf = ({ kind }: Field): string =>
  kind === 'text' || kind === 'id' ? 'max-w-56 truncate' : 'whitespace-nowrap';

export interface DataColumnsProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  /** The fields to show, first the one that names the record. */
  readonly names: readonly string[];
  readonly companyName: (id: string) => string;
  readonly sort: ListSort;
  /** Default: the heads do not sort. */
  readonly onSort?: (sort: string) => void;
  /** Whether the first column shows all values below each other, because there is no place for others. */
  readonly stacked: boolean;
}

/** The columns of the list of a resource. */
export const dataColumns = (props: DataColumnsProps): readonly Column<DataRecord>[] => {
  const { workspaceId, resource, names, companyName, sort, onSort, stacked } = props;
  const naming = namingField(resource);
  const [, ...others] = names;
  const first: Column<DataRecord> = {
    id: naming,
    label: fieldLabel(naming),
    className: FIRST_COLUMN,
    cell: (record) => (
      <>
        <Link
          to="/w/$workspaceId/data/$resource/$recordId"
          params={{ workspaceId, resource: resource.name, recordId: record.id }}
          className={classes('py-1.5 hover:underline', naming === 'id' ? 'font-mono text-sm' : 'font-medium')}
        >
          <bdi>{record[naming]}</bdi>
        </Link>
        {stacked ? (
          <StackedValues
            workspaceId={workspaceId}
            resource={resource}
            record={record}
            names={others}
            sorted={sort.fieldName}
            companyName={companyName}
          />
        ) : null}
      </>
    ),
  };
  const columns = (stacked ? [] : others).flatMap((name): readonly Column<DataRecord>[] => {
    const field = resource.fields[name];
    if (field === undefined) return [];
    const column: Column<DataRecord> = {
      id: name,
      label: fieldLabel(name),
      className: classOf(field),
      ...sortOfColumn(resource, name, sort, onSort),
      cell: (record) => (
        <Value
          workspaceId={workspaceId}
          name={name}
          field={field}
          value={record[name]}
          companyName={companyName}
        />
      ),
    };
    return [column];
  });
  return [first, ...columns];
};

/** The sort of a column: its order if the list is sorted by it, and what a click on its head does. */
function sortOfColumn(
  resource: ResourceContract,
  name: string,
  sort: ListSort,
  onSort: ((sort: string) => void) | undefined,
): Pick<Column<DataRecord>, 'order' | 'onSort'> {
  const order = sort.fieldName === name ? sort.order : undefined;
  const sorts = sortsOf(resource).filter(
    (value) => sortedField(resource, value.split('-')[0] ?? '') === name,
  );
  // The first one is descending: the newest and the highest are on top.
  const next = sorts.find((value) => order === undefined || value !== sort.value);
  return {
    ...(order === undefined ? {} : { order }),
    ...(next === undefined || onSort === undefined ? {} : { onSort: () => onSort(next) }),
  };
}
