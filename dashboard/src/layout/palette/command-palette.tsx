import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Building, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMe } from '../../api/me.ts';
import { BareDialog } from '../../ui/popup/bare-dialog.tsx';
import { useNavigation } from '../navigation.ts';
import { useAccountActions, useActions } from './actions.ts';
import { useDocs } from './docs.ts';
import { useFound } from './found.ts';
import { matches } from './matches.ts';
import type { PaletteGroup, PaletteItem } from './palette-item.ts';

export interface CommandPaletteProps {
  readonly workspaceId: string | undefined;
  /** The palette is closed before. */
  readonly onNewWorkspace: () => void;
  readonly onClose: () => void;
}

/** The service searches for a text that has not changed for this long. */
const PAUSE_MS = 200;
const TEXT_MAX_CHARACTERS = 100;

/** The search for pages, actions, records, keys, members and documentation that Ctrl-K opens. */
export default function CommandPalette({ workspaceId, onNewWorkspace, onClose }: CommandPaletteProps) {
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const paused = usePaused(text);
  const found = useFound(workspaceId, paused);
  const docs = useDocs();
  const searching = paused !== text || found.searching || (text !== '' && docs.loading);
  // All results at once: the list selects the first item that appears, and Enter must open the first row.
  const groups = [
    ...useFixed(workspaceId, text, docs.items, onNewWorkspace),
    ...(searching ? [] : found.groups),
  ];
  const all = searching ? null : found.all;
  const choose = ({ run }: PaletteItem): void => {
    onClose();
    run();
  };
  const empty = groups.length === 0;
  const failed = !searching && (found.failed || (text !== '' && docs.failed));
  const partial = !searching && found.partial;
  return (
    <BareDialog
      title="Go to"
      onClose={onClose}
      className="fixed inset-x-3 top-[12dvh] z-50 mx-auto max-w-lg animate-fade overflow-hidden rounded-xl border border-line bg-raised shadow-high"
    >
      <Command label="Go to" shouldFilter={false}>
        <Command.Input
          autoFocus
          value={typed}
          onValueChange={setTyped}
          maxLength={TEXT_MAX_CHARACTERS}
          placeholder="Search pages, actions and data"
          className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
        />
        {/* A list without an option would be invalid, so it is hidden then. */}
        <Command.List
          label="Results"
          hidden={empty && all === null}
          className="max-h-[min(24rem,60dvh)] overflow-y-auto p-1.5"
        >
          {groups.map((group) => (
            <Group key={group.heading} group={group} onChoose={choose} />
          ))}
          {all === null ? null : <Group group={all} onChoose={choose} />}
        </Command.List>
        <p
          role="status"
          className={
            empty
              ? 'px-3 py-8 text-center text-soft'
              : failed || partial
                ? `border-t border-line px-4 py-2 text-sm ${failed ? 'text-bad' : 'text-soft'}`
                : 'sr-only'
          }
        >
          {statusOf({ searching, failed, partial, empty })}
        </p>
      </Command>
    </BareDialog>
  );
}

interface State {
  readonly searching: boolean;
  readonly failed: boolean;
  readonly partial: boolean;
  readonly empty: boolean;
}

function statusOf({ searching, failed, partial, empty }: State): string {
  if (searching) return 'Searching…';
  if (failed) return empty ? 'The search failed.' : 'Some results could not be loaded.';
  if (partial) return empty ? 'No results, but older records may match' : 'Older records may match too.';
  return empty ? 'No results' : '';
}

/** The groups that need no request of the service for each text. */
function useFixed(
  workspaceId: string | undefined,
  text: string,
  docs: readonly PaletteItem[],
  onNewWorkspace: () => void,
): readonly PaletteGroup[] {
  const { workspaces } = useMe();
  const navigate = useNavigate();
  const pages = useNavigation(workspaceId)
    .flatMap(({ items }) => items)
    .map(({ to, resource = '', label, icon }) => ({
      id: `page ${label}`,
      label,
      icon,
      run: () => navigate({ to, params: { workspaceId: workspaceId ?? '', resource } }),
    }));
  const others = workspaces
    .filter(({ id }) => id !== workspaceId)
    .map(({ id, name }) => ({
      id: `workspace ${id}`,
      label: name,
      icon: Building,
      words: id,
      run: () => navigate({ to: '/w/$workspaceId', params: { workspaceId: id } }),
    }));
  const newWorkspace = {
    id: 'new workspace',
    label: 'New workspace',
    icon: Plus,
    words: 'create add',
    run: onNewWorkspace,
  };
  const owns = workspaces.some(({ role }) => role === 'owner');
  const groups: readonly PaletteGroup[] = [
    { heading: 'Pages', items: pages },
    { heading: 'Actions', items: useActions(workspaceId) },
    { heading: 'Workspaces', items: owns ? [...others, newWorkspace] : others },
    { heading: 'Account', items: useAccountActions() },
    // Without a text, the documentation would be most of the list.
    { heading: 'Documentation', items: text === '' ? [] : docs },
  ];
  return groups
    .map(({ heading, items }) => ({
      heading,
      items: items.filter(({ label, note, words }: PaletteItem) =>
        matches(text, `${label} ${note ?? ''} ${words ?? ''}`),
      ),
    }))
    .filter(({ items }) => items.length > 0);
}

/** The text, when it has not changed for PAUSE_MS. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

interface GroupProps {
  readonly group: PaletteGroup;
  readonly onChoose: (item: PaletteItem) => void;
}

const Group = ({ group: { heading, items }, onChoose }: GroupProps) => (
  <Command.Group
    heading={heading}
    className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-soft"
  >
    {items.map((item) => (
      <Item key={item.id} item={item} onChoose={onChoose} />
    ))}
  </Command.Group>
);

interface ItemProps {
  readonly item: PaletteItem;
  readonly onChoose: (item: PaletteItem) => void;
}

const Item = ({ item, onChoose }: ItemProps) => {
  const { id, label, note, icon: Icon } = item;
  return (
    <Command.Item
      value={id}
      onSelect={() => onChoose(item)}
      className="flex h-9 items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:bg-hover"
    >
      <Icon size={16} aria-hidden className="shrink-0 text-soft" />
      <bdi className="min-w-0 truncate">{label}</bdi>
      {note == null ? null : <bdi className="min-w-0 truncate text-sm text-soft">{note}</bdi>}
    </Command.Item>
  );
};
