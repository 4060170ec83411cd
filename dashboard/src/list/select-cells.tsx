import { useEffect, useRef } from 'react';
import { Cell, HeadCell } from '../ui/table.tsx';
import type { Selection } from './selection.ts';

/** A checkbox whose label fills the cell, so that a click next to the box does not open the row. */
const CELL_CLASS = 'w-10 p-0! select-none';
const LABEL_CLASS = 'flex size-full min-h-8 cursor-pointer items-center justify-center ps-2';
const BOX_CLASS = 'size-4 cursor-pointer accent-accent';

/** Marks the checkbox in the head of a table, for {@link focusSelectAll}. */
const SELECT_ALL = 'data-select-all';

/** Moves the focus to the checkbox in the head, after the control with the focus has disappeared. */
export function focusSelectAll(): void {
  const box = document.querySelector<HTMLElement>(`[${SELECT_ALL}]`) ?? document.getElementById('main');
  box?.focus();
}

type AnySelection = Pick<Selection<{ readonly id: string }>, 'loaded' | 'toggleAll'>;

/** The head cell that selects all loaded rows. */
export function SelectAllCell({ selection: { loaded, toggleAll } }: { readonly selection: AnySelection }) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = loaded === 'some';
  }, [loaded]);
  return (
    <HeadCell className={CELL_CLASS}>
      <label className={LABEL_CLASS}>
        <input
          {...{ [SELECT_ALL]: true }}
          ref={box}
          type="checkbox"
          aria-label="Select all loaded rows"
          checked={loaded === 'all'}
          onChange={toggleAll}
          className={BOX_CLASS}
        />
      </label>
    </HeadCell>
  );
}

export interface SelectCellProps {
  /** Name of the row. */
  readonly name: string;
  readonly checked: boolean;
  /** `range`: whether Shift was pressed. */
  readonly onToggle: (range: boolean) => void;
}

/** The cell of a row that selects it. Shift with a click or the space bar selects a range. */
export const SelectCell = ({ name, checked, onToggle }: SelectCellProps) => (
  <Cell className={CELL_CLASS}>
    <label className={LABEL_CLASS}>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={checked}
        onChange={({ nativeEvent }) => onToggle(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        className={BOX_CLASS}
      />
    </label>
  </Cell>
);
