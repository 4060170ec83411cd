import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { classes } from '../ui/classes.ts';
import { type Destination, useNavigation } from './navigation.ts';
import { UserMenu } from './user-menu.tsx';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

export interface SidebarProps {
  /** Undefined if the person is not a member of any workspace. */
  readonly workspaceId: string | undefined;
  readonly onSearch: () => void;
  /** Called when an item is chosen. On a phone it closes the sidebar. */
  readonly onLeave?: () => void;
}

const ITEM_CLASS =
  'flex h-8 items-center gap-2.5 rounded-md px-2 text-soft transition-colors pointer-coarse:h-11 hover:bg-hover hover:text-ink';

export function Sidebar({ workspaceId, onSearch, onLeave }: SidebarProps) {
  const groups = useNavigation(workspaceId);
  return (
    <div className="flex h-full flex-col gap-3 p-3">
      <WorkspaceSwitcher workspaceId={workspaceId} onLeave={onLeave} />
      <button
        type="button"
        onClick={onSearch}
        className="flex h-8 items-center gap-2.5 rounded-md border border-edge/60 bg-surface px-2 text-soft shadow-low hover:bg-hover"
      >
        <Search size={15} aria-hidden />
        <span className="grow text-start">Go to…</span>
        <kbd className="rounded border border-line px-1 font-sans text-xs">Ctrl K</kbd>
      </button>
      <nav
        aria-label="Workspace"
        className="-mx-1 flex min-h-0 grow flex-col gap-4 overflow-y-auto px-1 py-1"
      >
        {workspaceId === undefined
          ? null
          : groups.map(({ label, items }) => (
              <div key={label ?? 'top'} className="flex flex-col gap-0.5">
                {label === undefined ? null : (
                  <h2 className="px-2 pb-1 text-xs font-medium text-soft">{label}</h2>
                )}
                {items.map((item) => (
                  <Item key={item.label} item={item} workspaceId={workspaceId} onLeave={onLeave} />
                ))}
              </div>
            ))}
      </nav>
      <UserMenu onLeave={onLeave} />
    </div>
  );
}

interface ItemProps {
  readonly item: Destination;
  readonly workspaceId: string;
  readonly onLeave: (() => void) | undefined;
}

function Item({
  item: { to, resource = '', label, icon: Icon, exact = false },
  workspaceId,
  onLeave,
}: ItemProps) {
  return (
    <Link
      to={to}
      params={{ workspaceId, resource }}
      activeOptions={{ exact, includeSearch: false }}
      activeProps={{ className: classes('bg-hover font-medium not-forced-colors:!text-ink') }}
      {...(onLeave === undefined ? {} : { onClick: onLeave })}
      className={ITEM_CLASS}
    >
      <Icon size={16} aria-hidden />
      {label}
    </Link>
  );
}
