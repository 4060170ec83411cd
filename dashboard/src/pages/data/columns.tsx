import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../list/virtual-table.tsx';
import { columnFields, fieldLabel } from './labels.ts';
import type { DataRecord } from './record.ts';
import { Value } from './value.tsx';

/** Paths of the record pages, for the router's types. */
const RECORD_PATHS = {
  audits: '/w/$workspaceId/data/audits/$recordId',
  mentions: '/w/$workspaceId/data/mentions/$recordId',
  content: '/w/$workspaceId/data/content/$recordId',
  companies: '/w/$workspaceId/data/companies/$recordId',
} as const;
export const recordPath = (resource: string) => RECORD_PATHS[resource as keyof typeof RECORD_PATHS];

/** Long texts are truncated. Other values keep their width. */
const classOf = (name: string, first: boolean): string => {
  if (first) return 'min-w-44 max-w-0 w-full truncate';
  if (name === 'companyId' || name === 'source') return 'max-w-44 truncate';
  if (name === 'domain') return 'max-w-64 truncate';
  return 'whitespace-nowrap';
};

/** The columns of the list of a resource. */
export const dataColumns = (
  workspaceId: string,
  shape: ResourceShape,
  companyName: (id: string) => string,
): readonly Column<DataRecord>[] =>
  columnFields(shape.name, shape.fields).map((field, i) => ({
    id: field.name,
    label: fieldLabel(field.name),
    className: classOf(field.name, i === 0),
    cell: (record) =>
      i === 0 ? (
        <Link
          to={recordPath(shape.name)}
          params={{ workspaceId, recordId: record.id }}
          className={
            field.name === 'id'
              ? 'py-1 font-mono text-sm hover:underline'
              : 'py-1 font-medium hover:underline'
          }
        >
          {record[field.name]}
        </Link>
      ) : (
        <Value workspaceId={workspaceId} field={field} value={record[field.name]} companyName={companyName} />
      ),
  }));
