import { Columns3 } from 'lucide-react';
import { fieldLabel } from '../../../resources/labels.ts';
import { columnChoices, type ResourceContract } from '../../../resources/resources.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuChecks, MenuItem, MenuSeparator } from '../../../ui/popup/menu.tsx';
import { chooseColumns } from './chosen-columns.ts';

export interface ColumnMenuProps {
  readonly resource: ResourceContract;
  /** The fields that are shown. */
  readonly shown: readonly string[];
  /** The field that the list is sorted by, which is always shown. */
  readonly sorted: string;
}

/** Chooses the columns of a list. */
export const ColumnMenu = ({ resource, shown, sorted }: ColumnMenuProps) => (
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
      chosen={shown}
      onChange={(names) => chooseColumns(resource, names)}
    />
    <MenuSeparator />
    <MenuItem onSelect={() => chooseColumns(resource, null)}>Default columns</MenuItem>
  </Menu>
);
