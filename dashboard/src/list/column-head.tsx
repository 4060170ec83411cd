import type { Order } from '@svc/sdk/contract';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { HeadCell } from '../ui/table.tsx';

const ICONS = { ascending: ArrowUp, descending: ArrowDown } as const;

export interface ColumnHeadProps {
  readonly label: string;
  /** Classes of the head and of each cell, such as `hidden md:table-cell`. */
  readonly className?: string;
  /** The order of the items, if they are sorted by this column. */
  readonly order?: Order;
  /** Sorts the items by this column, or reverses their order. Absent: they cannot be sorted by it. */
  readonly onSort?: () => void;
}

/** The head of a column, with a button if the items can be sorted by it. */
export function ColumnHead({ label, className = '', order, onSort }: ColumnHeadProps) {
  const Icon = order === undefined ? ChevronsUpDown : ICONS[order];
  const content = (
    <>
      {label}
      {order === undefined && onSort === undefined ? null : (
        <Icon size={12} aria-hidden className={order === undefined ? 'text-edge' : 'text-ink'} />
      )}
    </>
  );
  return (
    <HeadCell className={className} aria-sort={order ?? (onSort === undefined ? undefined : 'none')}>
      {onSort === undefined ? (
        <span className="inline-flex items-center gap-1">{content}</span>
      ) : (
        <button
          type="button"
          onClick={onSort}
          className="-mx-1 inline-flex h-6 items-center gap-1 rounded px-1 font-medium hover:text-ink"
        >
          {content}
        </button>
      )}
    </HeadCell>
  );
}
