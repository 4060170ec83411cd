import { ChevronsUpDown } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { LazyMenu } from '../ui/popup/lazy-menu.tsx';

/** The code of the menu, which the page loads early so that it opens at once. */
export const loadWorkspaceMenu = () => import('./workspace-menu.tsx');

export interface WorkspaceSwitcherProps {
  readonly workspaceId: string | undefined;
  readonly onLeave: (() => void) | undefined;
}

export function WorkspaceSwitcher({ workspaceId, onLeave }: WorkspaceSwitcherProps) {
  const current = useMe().workspaces.find(({ id }) => id === workspaceId);
  const trigger = (
    <button
      type="button"
      className="flex h-10 w-full items-center gap-2.5 rounded-md px-1.5 text-start hover:bg-hover data-[state=open]:bg-hover"
    >
      <Monogram name={current?.name ?? '?'} />
      <span className="sr-only">Workspace</span>
      <span dir="auto" className="min-w-0 grow truncate font-semibold">
        {current?.name ?? 'No workspace'}
      </span>
      <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-soft" />
    </button>
  );
  return <LazyMenu trigger={trigger} load={loadWorkspaceMenu} onLeave={onLeave} />;
}

const Monogram = ({ name }: { readonly name: string }) => (
  <span
    aria-hidden
    className="flex size-7 shrink-0 items-center justify-center rounded-md bg-accent text-sm font-semibold text-on-accent uppercase"
  >
    {[...name][0]}
  </span>
);
