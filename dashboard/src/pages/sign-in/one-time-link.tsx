import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiFailure, messageOf } from '../../api/failure.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';

/** Shown on a page that only a one-time link opens, if there is no link. */
export const LinkNeeded = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-col gap-4">
    <p className="text-soft">{children}</p>
    <Link to="/sign-in" className={buttonClass('secondary')}>
      Go to sign-in
    </Link>
  </div>
);

export interface LinkFailureProps {
  readonly error: Error;
  readonly onRetry: () => void;
  /** Shown if the link itself does not work. Default: it was used or has expired. */
  readonly invalid?: string;
  readonly children?: ReactNode;
}

/** Shown if a one-time link could not be used. Offers to try again if that can help. */
export function LinkFailure({ error, onRetry, invalid = INVALID, children }: LinkFailureProps) {
  const retryable = error instanceof ApiFailure && error.retryable;
  return (
    <div className="flex flex-col gap-4">
      <Problem>{retryable ? messageOf(error) : invalid}</Problem>
      {retryable ? <Button onClick={onRetry}>Try again</Button> : null}
      {children}
    </div>
  );
}

const INVALID = 'This link was already used or has expired. Ask for a new one.';
