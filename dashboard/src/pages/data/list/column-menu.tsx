import { Columns3 } from 'lucide-react';
import { fieldLabel } from '../../../resources/labels.ts';
import { columnChoices, type ResourceContract } from '../../../resources/resources.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuChecks, MenuItem, MenuSeparator } from '../../../ui/popup/menu.tsx';
import type { ChosenColumns } from './chosen-columns.ts';

export interface ColumnMenuProps {
  readonly resource: ResourceContract;
  readonly columns: ChosenColumns;
  /** The field that the list is sorted by, which is always shown. */
  readonly sorted: string;
}

/** Chooses the columns of a list. */
export const ColumnMenu = ({ resource, columns: { names, choose }, sorted }: ColumnMenuProps) => (
  <Menu
    align="end"
    trigger={
      <Button>
        <Columns3 size={14} aria-hidden />
        Columns
      </Button>
    }
  >
    <MenuChecks
      label="Columns"
      options={columnChoices(resource).map((value) => ({
        value,
        label: fieldLabel(value),
        ...(value === sorted ? { blocked: 'Sorts the list' } : {}),
      }))}
      chosen={names}
      onChange={choose}
    />
    <MenuSeparator />
    <MenuItem onSelect={() => choose(null)}>Default columns</MenuItem>
  </Menu>
);
