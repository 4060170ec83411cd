import { useBlocker } from '@tanstack/react-router';
import { useChunk } from '../chunks/use-chunk.ts';
import { differ, hasUnsaved } from '../ui/form/unsaved.ts';

export const loadDiscardChanges = () => import('../ui/popup/discard-changes.tsx');

interface Place {
  readonly pathname: string;
  readonly search: object;
}

/** A hash is a place on the same page. The sign-in page opens when the session has ended: its page keeps the drafts. */
const loses = ({ current, next }: { readonly current: Place; readonly next: Place }): boolean =>
  next.pathname !== '/sign-in' &&
  differ([current.pathname, current.search], [next.pathname, next.search]) &&
  hasUnsaved();
const unsaved = (): boolean => hasUnsaved();

/** Asks before a link, Back, a reload or a closed tab loses what a person has entered. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: loses,
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  const DiscardChanges = useChunk(loadDiscardChanges, status === 'blocked', () => reset?.());
  return status !== 'blocked' || DiscardChanges === null ? null : (
    <DiscardChanges onDiscard={proceed} onKeep={reset} />
  );
}
