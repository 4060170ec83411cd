import { Dialog } from 'radix-ui';
import { OVERLAY_CLASS } from '../ui/popup/dialog.tsx';
import { useReturnFocus } from '../ui/popup/return-focus.ts';
import { Sidebar } from './sidebar.tsx';

export interface DrawerProps {
  /** Undefined if the person is not a member of any workspace. */
  readonly workspaceId: string | undefined;
  readonly onSearch: () => void;
  readonly onClose: () => void;
}

/** The sidebar of a phone, above the page. */
export default function Drawer({ workspaceId, onSearch, onClose }: DrawerProps) {
  const returnFocus = useReturnFocus(true);
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className={OVERLAY_CLASS} />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed inset-y-0 start-0 z-50 w-[min(85vw,18rem)] animate-slide border-e border-line bg-sunken shadow-high"
        >
          <Dialog.Title className="sr-only">Menu</Dialog.Title>
          <Sidebar workspaceId={workspaceId} onSearch={onSearch} onLeave={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
