import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './confirm.tsx';

export interface ShownOnceProps {
  /** Subject of the sentence "… is shown only once", such as "The token". */
  readonly what: string;
}

/** While rendered, asks before the page is left by Back, a reload or a closed tab. */
export function ShownOnce({ what }: ShownOnceProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: true,
    withResolver: true,
  });
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
      <p>{what} is shown only once. Save it before you leave.</p>
    </Confirm>
  );
}
