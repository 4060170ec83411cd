import { BareDialog } from '../ui/popup/bare-dialog.tsx';
import { Sidebar } from './sidebar.tsx';

export interface DrawerProps {
  /** Undefined if the person is not a member of any workspace. */
  readonly workspaceId: string | undefined;
  readonly onSearch: () => void;
  readonly onClose: () => void;
}

/** The sidebar of a phone, above the page. */
export default function Drawer({ workspaceId, onSearch, onClose }: DrawerProps) {
  return (
    <BareDialog
      title="Menu"
      onClose={onClose}
      className="fixed inset-y-0 start-0 z-50 w-[min(85vw,18rem)] animate-slide border-e border-line bg-sunken shadow-high"
    >
      <Sidebar workspaceId={workspaceId} onSearch={onSearch} onLeave={onClose} />
    </BareDialog>
  );
}
