import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

export const NotFound = () => (
  <div className="flex min-h-[80dvh] items-center justify-center">
    <EmptyState
      icon={Compass}
      title="There is nothing here"
      actions={
        <Link to="/" className={buttonClass('secondary')}>
          Go to the start
        </Link>
      }
    >
      The address leads to no page, or to something that is not there any more.
    </EmptyState>
  </div>
);
