import { useNavigate } from '@tanstack/react-router';
import { LogOut, Monitor, Moon, ShieldCheck, Sun } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { useSignOut } from '../session/sign-out.ts';
import { setTheme, type Theme, useTheme } from '../theme/theme.ts';
import { Menu, MenuItem, MenuRadio, MenuSeparator } from '../ui/popup/menu.tsx';

const THEMES = [
  { value: 'system', label: 'System', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const;

export interface UserMenuProps {
  readonly onLeave: (() => void) | undefined;
}

export function UserMenu({ onLeave }: UserMenuProps) {
  const { user } = useMe();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const theme = useTheme();
  const openAccount = (): void => {
    onLeave?.();
    void navigate({ to: '/account' });
  };
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
  return (
    <Menu trigger={trigger} side="top">
      <MenuItem icon={ShieldCheck} onSelect={openAccount}>
        Account settings
      </MenuItem>
      <MenuSeparator />
      <MenuRadio<Theme> label="Theme" value={theme} onChange={setTheme} options={THEMES} />
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
