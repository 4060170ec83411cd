import { Link } from '@tanstack/react-router';
import type { Column } from '../../list/virtual-table.tsx';
import { fieldLabel } from '../../resources/labels.ts';
import {
  columnsOf,
  type DataRecord,
  type Field,
  namingField,
  type ResourceContract,
} from '../../resources/resources.ts';
import { classes } from '../../ui/classes.ts';
import { Value } from './value.tsx';

const FIRST_COLUMN = 'min-w-44 max-w-0 w-full truncate';
/** Texts and names of companies are truncated. Other values keep their width. */
const classOf = ({ kind }: Field): string =>
  kind === 'text' || kind === 'id' ? 'max-w-56 truncate' : 'whitespace-nowrap';

/** The columns of the list of a resource. */
export const dataColumns = (
  workspaceId: string,
  resource: ResourceContract,
  companyName: (id: string) => string,
): readonly Column<DataRecord>[] => {
  const naming = namingField(resource);
  return columnsOf(resource).flatMap((name) => {
    const field = resource.fields[name];
    if (field === undefined) return [];
    return {
      id: name,
      label: fieldLabel(name),
      className: name === naming ? FIRST_COLUMN : classOf(field),
      cell: (record) =>
        name === naming ? (
          <Link
            to="/w/$workspaceId/data/$resource/$recordId"
            params={{ workspaceId, resource: resource.name, recordId: record.id }}
            className={classes('py-1 hover:underline', name === 'id' ? 'font-mono text-sm' : 'font-medium')}
          >
            {record[name]}
          </Link>
        ) : (
          <Value
            workspaceId={workspaceId}
            name={name}
            field={field}
            value={record[name]}
            companyName={companyName}
          />
        ),
    };
  });
};
