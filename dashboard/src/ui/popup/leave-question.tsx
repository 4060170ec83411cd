import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { Confirm } from './confirm.tsx';

export interface LeaveQuestionProps {
  /** What is lost with the page. */
  readonly children: ReactNode;
  /** Whether the sign-in page opens without a question: it opens when the session has ended. Default: no. */
  readonly allowsSignIn?: boolean;
}

/** While rendered, asks before the page or its tab is left, also by Back, a reload or a closed window. */
export function LeaveQuestion({ children, allowsSignIn = false }: LeaveQuestionProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || tabOf(current) !== tabOf(next)) &&
      !(allowsSignIn && next.pathname === '/sign-in'),
    enableBeforeUnload: true,
    withResolver: true,
  });
  const stay = useEffectEvent(() => reset?.());
  // If it is removed while it asks, the page stays. Otherwise the address would be that of the other page.
  useEffect(() => () => stay(), []);
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

/** The open tab of a page with several, such as the settings. */
const tabOf = ({ search }: { readonly search: object }): unknown => Object(search).tab;
