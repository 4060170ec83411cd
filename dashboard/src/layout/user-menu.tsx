import { useMe } from '../api/me.ts';
import { LazyMenu } from '../ui/popup/lazy-menu.tsx';

/** The code of the menu, which the page loads early so that it opens at once. */
export const loadUserMenu = () => import('./user-menu-items.tsx');

export interface UserMenuProps {
  readonly onLeave: (() => void) | undefined;
}

export function UserMenu({ onLeave }: UserMenuProps) {
  const { user } = useMe();
  const trigger = (
    <button
      type="button"
      className="flex items-center gap-2.5 rounded-md p-1.5 text-start hover:bg-hover data-[state=open]:bg-hover"
    >
      <span
        aria-hidden
        className="flex size-7 shrink-0 items-center justify-center rounded-full border border-line bg-sunken text-sm font-medium text-soft uppercase"
      >
        {[...user.name][0]}
      </span>
      <span className="min-w-0 grow">
        <span className="sr-only">Account of </span>
        <span className="block truncate font-medium">{user.name}</span>
        <span className="block truncate text-xs text-soft">{user.email}</span>
      </span>
    </button>
  );
  return <LazyMenu trigger={trigger} load={loadUserMenu} onLeave={onLeave} />;
}
