import { useNavigate, useRouter } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { useMe } from '../api/me.ts';
import { useChunk } from '../chunks/use-chunk.ts';
import { Button } from '../ui/button.tsx';
import { loadTooltip } from '../ui/popup/lazy-tooltip.tsx';
import { loadToaster } from '../ui/toast/toasts.tsx';
import { BAR_CLASS, FRAME_CLASS, SIDE_CLASS } from './frame.ts';
import { LeaveGuard, loadDiscardChanges } from './leave-guard.tsx';
import { PageSkeleton } from './page-skeleton.tsx';
import { Sidebar } from './sidebar.tsx';
import { loadUserMenu } from './user-menu.tsx';
import { loadWorkspaceMenu } from './workspace-switcher.tsx';

const loadPalette = () => import('./palette/command-palette.tsx');
const loadNewWorkspace = () => import('./new-workspace.tsx');
const loadDrawer = () => import('./drawer.tsx');

/** What the page does not show at first, but a click or a key at any time. */
const LATER = [
  loadToaster,
  loadPalette,
  loadDrawer,
  loadUserMenu,
  loadWorkspaceMenu,
  loadTooltip,
  loadDiscardChanges,
];

/** Late enough to not slow down the page itself. */
const PRELOAD_MS = 2_000;

/** One after another, so that each is a short task. What fails is loaded again when it is used. */
async function preload(): Promise<void> {
  for (const load of LATER) await load().catch(() => undefined);
}

export interface ShellProps {
  /** Undefined if the person is not a member of any workspace. */
  readonly workspaceId: string | undefined;
  readonly children: ReactNode;
}

/** The frame of every page after the sign-in: the sidebar (a drawer on a phone) and the command palette. */
export function Shell({ workspaceId, children }: ShellProps) {
  const name = useMe().workspaces.find(({ id }) => id === workspaceId)?.name;
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const due = useDue();
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPalette((open) => !open);
    };
    addEventListener('keydown', listen);
    // Load the palette before its first use, so that it receives the keys typed right after Ctrl-K. Load the toasts
    // while the service is up, so that they can report that it is down. Menus open at once.
    const timer = setTimeout(() => void preload(), PRELOAD_MS);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', listen);
    };
  }, []);
  const CommandPalette = useChunk(loadPalette, palette, () => setPalette(false));
  const NewWorkspace = useChunk(loadNewWorkspace, creating, () => setCreating(false));
  const Drawer = useChunk(loadDrawer, drawer, () => setDrawer(false));
  const search = (): void => {
    setDrawer(false);
    setPalette(true);
  };
  return (
    <div className={FRAME_CLASS}>
      <a
        href="#main"
        className="fixed start-3 top-3 z-60 -translate-y-16 rounded-md bg-ink px-3 py-1.5 text-ground focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside className={SIDE_CLASS}>
        {due ? <Sidebar workspaceId={workspaceId} onSearch={search} /> : null}
      </aside>
      <header className={BAR_CLASS}>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Open menu"
          aria-haspopup="dialog"
          aria-expanded={drawer}
          onClick={() => setDrawer(true)}
        >
          <MenuIcon size={18} aria-hidden />
        </Button>
        <span dir="auto" className="min-w-0 truncate font-semibold">
          {name ?? 'svc'}
        </span>
      </header>
      {drawer && Drawer !== null ? (
        <Drawer workspaceId={workspaceId} onSearch={search} onClose={() => setDrawer(false)} />
      ) : null}
      <main id="main" tabIndex={-1} className="min-w-0 scroll-mt-12">
        {due ? children : <PageSkeleton />}
      </main>
      <LeaveGuard />
      {palette && CommandPalette !== null ? (
        <CommandPalette
          workspaceId={workspaceId}
          onNewWorkspace={() => setCreating(true)}
          onClose={() => setPalette(false)}
        />
      ) : null}
      {creating && NewWorkspace !== null ? (
        <NewWorkspace
          onClose={() => setCreating(false)}
          onCreated={(id) => void navigate({ to: '/w/$workspaceId', params: { workspaceId: id } })}
        />
      ) : null}
    </div>
  );
}

/**
 * False during the first render if the window opens at the start of a page. React then renders the sidebar and the page
 * as a deferred value, in short tasks. The router would render both in one task, which blocks a slow processor. In all
 * other cases the page must be there at once, because the router scrolls to a place of it, or the focus moves to it.
 */
function useDue(): boolean {
  // Undefined until the first page is shown.
  const { resolvedLocation } = useRouter().state;
  const atStart = resolvedLocation === undefined && location.hash === '' && !isReload();
  return useDeferredValue(true, !atStart);
}

/** Whether the window shows a page again: a reload, or Back from another site. */
function isReload(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return !(entry instanceof PerformanceNavigationTiming) || entry.type !== 'navigate';
}
