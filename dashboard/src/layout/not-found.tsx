import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** A whole page, outside of any workspace's frame. */
export const NotFoundPage = () => (
  <main className="flex min-h-dvh items-center justify-center">
    <NotFound heading="h1" />
  </main>
);

/** In place of what is not there. */
export const NotFound = ({ heading = 'h2' }: { readonly heading?: 'h1' | 'h2' }) => (
  <EmptyState
    icon={Compass}
    title="Page not found"
    heading={heading}
    actions={
      <Link to="/" preload={false} className={buttonClass('secondary')}>
        Go to the start
      </Link>
    }
  >
    The address leads to no page, or to something that is not there any more.
  </EmptyState>
);
