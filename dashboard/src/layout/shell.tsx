import { Menu as MenuIcon } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect, useState } from 'react';
import { useMe } from '../api/me.ts';
import { useChunk } from '../chunks/use-chunk.ts';
import { buttonClass } from '../ui/button.tsx';
import { OVERLAY_CLASS } from '../ui/popup/dialog.tsx';
import { toast } from '../ui/toast/toast-store.ts';
import { loadToaster } from '../ui/toast/toasts.tsx';
import { Sidebar } from './sidebar.tsx';

const loadPalette = () => import('./palette/command-palette.tsx');

/** Late enough to not slow down the page itself. */
const PRELOAD_MS = 2_000;

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
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setPalette((open) => !open);
    };
    addEventListener('keydown', listen);
    // Load the palette before its first use, so that it receives the keys typed right after Ctrl-K. Load the toasts
    // while the service is up, so that they can report that it is down.
    const timer = setTimeout(() => void Promise.allSettled([loadPalette(), loadToaster()]), PRELOAD_MS);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', listen);
    };
  }, []);
  const CommandPalette = useChunk(loadPalette, palette, () => {
    setPalette(false);
    toast('The list of pages could not be loaded. Try again when the service can be reached.', 'bad');
  });
  const search = (): void => {
    setDrawer(false);
    setPalette(true);
  };
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed start-3 top-3 z-60 -translate-y-16 rounded-md bg-ink px-3 py-1.5 text-ground focus:translate-y-0"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh border-e border-line bg-sunken lg:block">
        <Sidebar workspaceId={workspaceId} onSearch={search} />
      </aside>
      <Dialog.Root open={drawer} onOpenChange={setDrawer}>
        <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-surface px-2 lg:hidden">
          <Dialog.Trigger aria-label="Open menu" className={buttonClass('ghost', 'icon')}>
            <MenuIcon size={18} aria-hidden />
          </Dialog.Trigger>
          <span className="min-w-0 truncate font-semibold">{name ?? 'svc'}</span>
        </header>
        <Dialog.Portal>
          <Dialog.Overlay className={OVERLAY_CLASS} />
          <Dialog.Content
            aria-describedby={undefined}
            className="fixed inset-y-0 start-0 z-50 w-[min(85vw,18rem)] animate-slide border-e border-line bg-sunken shadow-high"
          >
            <Dialog.Title className="sr-only">Menu</Dialog.Title>
            <Sidebar workspaceId={workspaceId} onSearch={search} onLeave={() => setDrawer(false)} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
      <main id="main" tabIndex={-1} className="min-w-0 scroll-mt-12">
        {children}
      </main>
      {palette && CommandPalette !== null ? (
        <CommandPalette workspaceId={workspaceId} onClose={() => setPalette(false)} />
      ) : null}
    </div>
  );
}
