import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, Plus } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../api/me.ts';
import { Menu, MenuItem, MenuRadio, MenuSeparator } from '../ui/popup/menu.tsx';
import { NewWorkspace } from './new-workspace.tsx';

export interface WorkspaceSwitcherProps {
  readonly workspaceId: string | undefined;
  readonly onLeave: (() => void) | undefined;
}

export function WorkspaceSwitcher({ workspaceId, onLeave }: WorkspaceSwitcherProps) {
  const { workspaces } = useMe();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const current = workspaces.find(({ id }) => id === workspaceId);
  const owns = workspaces.some(({ role }) => role === 'owner');
  const go = (id: string): void => {
    onLeave?.();
    void navigate({ to: '/w/$workspaceId', params: { workspaceId: id } });
  };
  const trigger = (
    <button
      type="button"
      className="flex h-10 w-full items-center gap-2.5 rounded-md px-1.5 text-start hover:bg-hover data-[state=open]:bg-hover"
    >
      <Monogram name={current?.name ?? '?'} />
      <span className="sr-only">Workspace</span>
      <span className="min-w-0 grow truncate font-semibold">{current?.name ?? 'No workspace'}</span>
      <ChevronsUpDown size={14} aria-hidden className="text-soft" />
    </button>
  );
  return (
    <>
      <Menu trigger={trigger}>
        <MenuRadio
          label="Workspaces"
          value={workspaceId ?? ''}
          onChange={go}
          options={workspaces.map(({ id, name, role }) => ({ value: id, label: name, note: role }))}
        />
        <MenuSeparator />
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

const Monogram = ({ name }: { readonly name: string }) => (
  <span
    aria-hidden
    className="flex size-7 shrink-0 items-center justify-center rounded-md bg-accent text-sm font-semibold text-on-accent uppercase"
  >
    {[...name][0]}
  </span>
);
