import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './confirm.tsx';

export interface ShownOnceProps {
  /** What is shown, such as "The token". */
  readonly what: string;
}

/** While it is rendered, leaving the page by Back, a reload or a closed tab asks first. */
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
