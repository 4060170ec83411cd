import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { buttonClass } from '../../ui/button.tsx';

/** For a page that a one-time link opens, when there is no link. */
export const LinkNeeded = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-col gap-4">
    <p className="text-soft">{children}</p>
    <Link to="/sign-in" className={buttonClass('secondary')}>
      Go to the sign-in
    </Link>
  </div>
);
