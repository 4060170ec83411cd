import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../api/action.ts';
import { call } from '../api/client.ts';
import { isFailure, messageOf } from '../api/failure.ts';
import { toast } from '../ui/toast/toast-store.ts';
import { forgetDrafts } from './draft.ts';
import { setPagePerson } from './page-person.ts';
import { setEndReason, tellOtherTabs } from './session-end.ts';
import { noteSignedIn } from './signed-in-hint.ts';

/** Ends the session, and tells the other tabs. */
export async function endSession(): Promise<void> {
  await call('/auth/sign-out', { method: 'POST' });
  setPagePerson(undefined);
  noteSignedIn(false);
  forgetDrafts();
  setEndReason(null);
  tellOtherTabs({ ended: 'You signed out in another tab.' });
}

/** Ends the session and opens the sign-in page. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  const { run } = useAction({
    mutationFn: endSession,
    onSuccess: () => navigate({ to: '/sign-in' }),
    onError: (error) => {
      if (!isFailure(error, 'person_changed')) toast(`You are still signed in. ${messageOf(error)}`, 'bad');
    },
  });
  return () => void run();
}
