import { Download, FileJson, FileSpreadsheet } from 'lucide-react';
import { endpoint, ofWorkspace } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/popup/menu.tsx';

export interface ExportMenuProps {
  readonly workspaceId: string;
  readonly params: Readonly<Record<string, string | number | undefined>>;
}

/** Downloads the filtered entries as a file. */
export function ExportMenu({ workspaceId, params }: ExportMenuProps) {
  const save = (format: 'csv' | 'ndjson'): void => {
    const link = document.createElement('a');
    link.href = endpoint(ofWorkspace(workspaceId, '/log/export'), { ...params, format });
    link.download = '';
    link.click();
  };
  const trigger = (
    <Button>
      <Download size={14} aria-hidden />
      Export
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={FileSpreadsheet} onSelect={() => save('csv')}>
        CSV
      </MenuItem>
      <MenuItem icon={FileJson} onSelect={() => save('ndjson')}>
        NDJSON (one entry per line)
      </MenuItem>
    </Menu>
  );
}
