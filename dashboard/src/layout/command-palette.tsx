import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { LogOut, type LucideIcon, Monitor, Moon, ShieldCheck, Sun } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useMe } from '../api/me.ts';
import { useSignOut } from '../session/sign-out.ts';
import { setTheme } from '../theme/theme.ts';
import { OVERLAY_CLASS } from '../ui/popup/dialog.tsx';
import { useReturnFocus } from '../ui/popup/return-focus.ts';
import { useNavigation } from './navigation.ts';

export interface CommandPaletteProps {
  readonly workspaceId: string | undefined;
  readonly onClose: () => void;
}

/** The search for pages, workspaces and actions that Ctrl-K opens. */
export default function CommandPalette({ workspaceId, onClose }: CommandPaletteProps) {
  const { workspaces } = useMe();
  const others = workspaces.filter(({ id }) => id !== workspaceId);
  const groups = useNavigation(workspaceId);
  const navigate = useNavigate();
  const signOut = useSignOut();
  const returnFocus = useReturnFocus(true);
  const run = (action: () => unknown) => (): void => {
    onClose();
    action();
  };
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY_CLASS} />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-x-3 top-[12dvh] z-50 mx-auto max-w-lg animate-fade overflow-hidden rounded-xl border border-line bg-raised shadow-high"
        >
          <Dialog.Title className="sr-only">Go to</Dialog.Title>
          <Command label="Go to">
            <Command.Input
              autoFocus
              placeholder="Page, workspace or action"
              className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
            />
            <Command.List className="max-h-[min(24rem,60dvh)] overflow-y-auto p-1.5">
              <Command.Empty className="px-3 py-8 text-center text-soft">No results</Command.Empty>
              {workspaceId === undefined ? null : (
                <Group heading="Pages">
                  {groups
                    .flatMap(({ items }) => items)
                    .map(({ to, resource = '', label, icon }) => (
                      <Item
                        key={label}
                        icon={icon}
                        label={label}
                        onSelect={run(() => navigate({ to, params: { workspaceId, resource } }))}
                      />
                    ))}
                </Group>
              )}
              {others.length === 0 ? null : (
                <Group heading="Workspaces">
                  {others.map(({ id, name }) => (
                    <Item
                      key={id}
                      value={`${name} ${id}`}
                      label={name}
                      onSelect={run(() => navigate({ to: '/w/$workspaceId', params: { workspaceId: id } }))}
                    />
                  ))}
                </Group>
              )}
              <Group heading="Account">
                <Item
                  icon={ShieldCheck}
                  label="Account settings"
                  onSelect={run(() => navigate({ to: '/account' }))}
                />
                <Item icon={Sun} label="Light theme" onSelect={run(() => setTheme('light'))} />
                <Item icon={Moon} label="Dark theme" onSelect={run(() => setTheme('dark'))} />
                <Item icon={Monitor} label="System theme" onSelect={run(() => setTheme('system'))} />
                <Item icon={LogOut} label="Sign out" onSelect={run(signOut)} />
              </Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const Group = ({ heading, children }: { readonly heading: string; readonly children: React.ReactNode }) => (
  <Command.Group
    heading={heading}
    className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-soft"
  >
    {children}
  </Command.Group>
);

interface ItemProps {
  readonly icon?: LucideIcon;
  readonly label: string;
  /** The text that the search matches. Default: the label. */
  readonly value?: string;
  readonly onSelect: () => void;
}

const Item = ({ icon: Icon, label, value, onSelect }: ItemProps) => (
  <Command.Item
    value={value ?? label}
    onSelect={onSelect}
    className="flex h-9 items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:bg-hover"
  >
    {Icon === undefined ? <span className="w-4" /> : <Icon size={16} aria-hidden className="text-soft" />}
    {label}
  </Command.Item>
);
