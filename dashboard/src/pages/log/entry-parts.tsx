import type { AnyAuditLogEntry } from '@svc/sdk';
import type { ReactNode } from 'react';
import { formatNumber } from '../../format/number.ts';
import { counted } from '../../format/plural.ts';
import { nounOf } from '../../resources/labels.ts';
import { findResource } from '../../resources/resources.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { classes } from '../../ui/classes.ts';
import { KIND_LABELS } from './kinds.ts';

const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;
const toneOf = (status: number): Tone =>
  status >= SERVER_ERROR ? 'bad' : status >= CLIENT_ERROR ? 'warn' : 'good';

export const StatusBadge = ({ status }: { readonly status: number }) => (
  <Badge tone={toneOf(status)}>
    <span className="tabular-nums">{status}</span>
  </Badge>
);

/** The number of records that an import has written: "1 audit". Empty: the entry is of no import. */
export function importedText({ records, resource = '' }: AnyAuditLogEntry): string {
  if (records === undefined) return '';
  const found = findResource(resource);
  return found === undefined ? `${formatNumber(records)} ${resource}` : counted(records, nounOf(found));
}

/** The target of the entry; for an import also the number of records. */
function targetOf(entry: AnyAuditLogEntry): string {
  const { kind, targetLabel = '', actor } = entry;
  if (kind !== 'records.imported') return targetLabel === actor ? '' : targetLabel;
  const count = importedText(entry);
  return targetLabel === '' ? count : `${count} from ${targetLabel}`;
}

/** What happened, in one line: method and path of a request, otherwise the label of the kind. */
export function EntryTitle({ entry }: { readonly entry: AnyAuditLogEntry }) {
  if (entry.kind !== 'api.request') {
    const target = targetOf(entry);
    return (
      <span className="truncate">
        <span className="font-medium">{KIND_LABELS[entry.kind]}</span>
        {target === '' ? null : <bdi>: {target}</bdi>}
      </span>
    );
  }
  return (
    <span className="flex min-w-0 items-baseline gap-2 font-mono text-sm">
      <span className="shrink-0 sm:w-13 text-xs font-medium text-soft">{entry.method}</span>
      <span className="truncate">{entry.path}</span>
    </span>
  );
}

/** A value in the table of entries. A click filters the log by it. */
export const FilterButton = ({
  label,
  onClick,
  className,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  <button
    type="button"
    title={label}
    onClick={onClick}
    className={classes('relative max-w-full rounded text-start hover:underline', className)}
  >
    {children}
    <span className="sr-only">. {label}</span>
  </button>
);

/** A field of an entry: name and value. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd>{children}</dd>
  </>
);

/** A button next to a field of an entry. A click filters the log by the value of the field. */
export const FilterLink = ({
  onClick,
  children,
}: {
  readonly onClick: () => void;
  readonly children: ReactNode;
}) => (
  <button type="button" onClick={onClick} className="ms-3 rounded text-sm text-accent hover:underline">
    {children}
  </button>
);
