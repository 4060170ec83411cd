import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** For pages outside the frame of a workspace. */
export const NotFoundPage = () => (
  <main className="flex min-h-dvh items-center justify-center">
    <NotFound heading="h1" />
  </main>
);

/** Replaces a page that does not exist. */
const NotFound = ({ heading = 'h2' }: { readonly heading?: 'h1' | 'h2' }) => (
  <EmptyState
    icon={Compass}
    title="Page not found"
    heading={heading}
    actions={
      <Link to="/" preload={false} className={buttonClass('secondary')}>
        Go to home
      </Link>
    }
  >
    This page does not exist, or you have no access to it.
  </EmptyState>
);
