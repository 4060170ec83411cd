import { Link } from '@tanstack/react-router';
import { Compass, DoorClosed } from 'lucide-react';
import { lostWorkspaceName } from '../session/lost-workspace.ts';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** For pages outside the frame of a workspace. */
export const NotFoundPage = () => (
  <main className="flex min-h-dvh items-center justify-center">
    <NotFound heading="h1" />
  </main>
);

/** For a workspace that does not exist, or that the person may not see. Says so if the access has just ended. */
export function NoWorkspacePage({ workspaceId }: { readonly workspaceId: string }) {
  const name = lostWorkspaceName(workspaceId);
  if (name === undefined) return <NotFoundPage />;
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <EmptyState
        icon={DoorClosed}
        title={`You no longer have access to ${name}`}
        heading="h1"
        actions={<GoHome />}
      >
        Somebody removed you from the workspace, or deleted it. Ask its owners if you did not expect this.
      </EmptyState>
    </main>
  );
}

const GoHome = () => (
  <Link to="/" preload={false} className={buttonClass('secondary')}>
    Go to home
  </Link>
);

/** Replaces a page that does not exist. */
const NotFound = ({ heading = 'h2' }: { readonly heading?: 'h1' | 'h2' }) => (
  <EmptyState icon={Compass} title="Page not found" heading={heading} actions={<GoHome />}>
    This page does not exist, or you have no access to it.
  </EmptyState>
);
