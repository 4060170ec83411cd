import type { Transitions } from '@svc/sdk/contract';
import { ArrowRight, Trash2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useChunk } from '../../../chunks/use-chunk.ts';
import { counted } from '../../../format/plural.ts';
import { focusSelectAll } from '../../../list/select-cells.tsx';
import type { Selection } from '../../../list/selection.ts';
import { fieldLabel, nounOf, valueLabel } from '../../../resources/labels.ts';
import { type DataRecord, isEditable, type ResourceContract } from '../../../resources/resources.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../../ui/popup/menu.tsx';
import type { BulkAction } from './bulk-writes.ts';

export interface BulkBarProps {
  readonly workspaceId: string;
  readonly resource: ResourceContract;
  readonly selection: Selection<DataRecord>;
  /** Whether the person may change records. If not, a dialog that is open stays, because it says what was written. */
  readonly allowed: boolean;
}

const loadDialog = () => import('./bulk-dialog.tsx');

/** What can be done with the selected records. It lies above the end of the window, and moves nothing. */
export function BulkBar({ workspaceId, resource, selection, allowed }: BulkBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const BulkDialog = useChunk(loadDialog, action !== null, () => setAction(null));
  const { items } = selection;
  const selected = items.size > 0;
  // Load the dialog before its first use. What fails is loaded again then.
  useEffect(() => {
    if (selected) loadDialog().catch(() => undefined);
  }, [selected]);
  const clear = (): void => {
    selection.keep(new Set());
    focusSelectAll();
  };
  const { transitions } = resource;
  return (
    <>
      {!selected || !allowed ? null : (
        <>
          <section
            aria-label="Selection"
            className="fixed inset-x-3 bottom-3 z-20 mx-auto flex w-fit max-w-[calc(100vw-1.5rem)] animate-appear flex-wrap items-center gap-2 rounded-lg border border-line bg-raised px-3 py-2 shadow-high lg:left-63"
          >
            <div className="flex w-full items-center justify-between gap-1 sm:w-auto">
              <span role="status" className="font-medium whitespace-nowrap">
                {counted(items.size, nounOf(resource))} selected
              </span>
              <Button variant="ghost" size="small-icon" aria-label="Clear selection" onClick={clear}>
                <X size={14} aria-hidden />
              </Button>
            </div>
            {transitions === undefined ? null : (
              <MoveMenu transitions={transitions} items={items} onMove={setAction} />
            )}
            {isEditable(resource) ? (
              <Button aria-label="Delete selected" onClick={() => setAction({ kind: 'delete' })}>
                <Trash2 size={14} aria-hidden />
                Delete
              </Button>
            ) : null}
            <CopyButton wide text={[...items.keys()].join('\n')} label="Copy IDs" />
          </section>
          {/* Room below the list, so that the bar covers none of its buttons. */}
          <div className="h-20 sm:h-10" />
        </>
      )}
      {action === null || BulkDialog === null ? null : (
        <BulkDialog
          workspaceId={workspaceId}
          resource={resource}
          action={action}
          selection={selection}
          allowed={allowed}
          onClose={() => setAction(null)}
        />
      )}
    </>
  );
}

interface MoveMenuProps {
  readonly transitions: Transitions;
  readonly items: Selection<DataRecord>['items'];
  readonly onMove: (action: BulkAction) => void;
}

/** The states that at least one of the records can change to, with the number of those that can. */
function MoveMenu({ transitions: { field, moves }, items, onMove }: MoveMenuProps) {
  const states = [...items.values()].map((record) => String(record[field]));
  const counts = Map.groupBy(
    states.flatMap((state) => moves[state] ?? []),
    (to) => to,
  );
  const label = fieldLabel(field).toLowerCase();
  return (
    <Menu
      side="top"
      trigger={
        <Button blocked={counts.size === 0 ? `No selected record can change its ${label}.` : undefined}>
          <ArrowRight size={14} aria-hidden />
          Change {label}
        </Button>
      }
    >
      {[...counts].map(([to, { length }]) => (
        <MenuItem key={to} onSelect={() => onMove({ kind: 'move', field, to })}>
          {valueLabel(to)}
          <span className="text-soft"> ({length === items.size ? 'all' : `${length} of ${items.size}`})</span>
        </MenuItem>
      ))}
    </Menu>
  );
}
