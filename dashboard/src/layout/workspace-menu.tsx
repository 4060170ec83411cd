import { useNavigate, useParams } from '@tanstack/react-router';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../api/me.ts';
import { formatDate } from '../format/time.ts';
import type { LoadedMenuProps } from '../ui/popup/lazy-menu.tsx';
import { Menu, MenuItem, MenuRadio, MenuSeparator } from '../ui/popup/menu.tsx';
import NewWorkspace from './new-workspace.tsx';

/** The menu that changes to another workspace. */
export default function WorkspaceMenu({ trigger, onLeave }: LoadedMenuProps) {
  const { workspaces, deletedWorkspaces } = useMe();
  const { workspaceId } = useParams({ strict: false });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const owns = workspaces.some(({ role }) => role === 'owner');
  const go = (id: string): void => {
    onLeave?.();
    void navigate({ to: '/w/$workspaceId', params: { workspaceId: id } });
  };
  return (
    <>
      <Menu trigger={trigger}>
        <MenuRadio
          label="Workspaces"
          value={workspaceId ?? ''}
          onChange={go}
          options={workspaces
            .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
            .map(({ id, name, role }) => ({ value: id, label: name, note: role }))}
        />
        <MenuSeparator />
        {deletedWorkspaces.map(({ id, name, removedAt }) => (
          <MenuItem key={id} icon={Trash2} onSelect={() => go(id)}>
            {name}: deleted, will be removed on {formatDate(removedAt)}
          </MenuItem>
        ))}
        <MenuItem
          icon={Plus}
          onSelect={() => setCreating(true)}
          blocked={owns ? undefined : 'Only owners of a workspace can create workspaces.'}
        >
          New workspace
        </MenuItem>
      </Menu>
      {creating ? <NewWorkspace onClose={() => setCreating(false)} onCreated={go} /> : null}
    </>
  );
}
