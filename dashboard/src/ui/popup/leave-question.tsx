import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Confirm } from './confirm.tsx';

export interface LeaveQuestionProps {
  /** What is lost with the page. */
  readonly children: ReactNode;
  /** Whether the sign-in page opens without a question, because nothing is lost when the session ends. Default: no. */
  readonly allowsSignIn?: boolean;
}

/** While rendered, asks before the page is left by Back, a reload or a closed tab. */
export function LeaveQuestion({ children, allowsSignIn = false }: LeaveQuestionProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname && !(allowsSignIn && next.pathname === '/sign-in'),
    enableBeforeUnload: true,
    withResolver: true,
  });
  // If it is removed while it asks, the page stays. Otherwise the address would be that of the other page.
  useEffect(() => reset, [reset]);
  if (status !== 'blocked') return null;
  return (
    <Confirm
      open
      onOpenChange={reset}
      title="Leave this page?"
      action="Leave"
      dangerous
      onConfirm={async () => proceed()}
    >
      <p>{children}</p>
    </Confirm>
  );
}
