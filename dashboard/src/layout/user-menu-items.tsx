import { useNavigate } from '@tanstack/react-router';
import { BookOpen, LogOut, Monitor, Moon, ShieldCheck, Sun } from 'lucide-react';
import { serviceUrl } from '../base.ts';
import { useSignOut } from '../session/sign-out.ts';
import { setTheme, type Theme, useTheme } from '../theme/theme.ts';
import type { LoadedMenuProps } from '../ui/popup/lazy-menu.tsx';
import { Menu, MenuItem, MenuRadio, MenuSeparator } from '../ui/popup/menu.tsx';

const THEMES = [
  { value: 'system', label: 'System', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const;

/** The menu of the person. */
export default function UserMenuItems({ trigger, onLeave }: LoadedMenuProps) {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const theme = useTheme();
  const openAccount = (): void => {
    onLeave?.();
    void navigate({ to: '/account' });
  };
  return (
    <Menu trigger={trigger} side="top">
      <MenuItem icon={ShieldCheck} onSelect={openAccount}>
        Account settings
      </MenuItem>
      <MenuItem icon={BookOpen} onSelect={() => open(`${serviceUrl()}/docs`, '_blank', 'noopener')}>
        Documentation
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
