import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { isFailure, messageOf } from '../api/failure.ts';
import { toast } from '../ui/toast/toast-store.ts';
import { forgetDrafts } from './draft.ts';
import { setPagePerson } from './page-person.ts';
import { tellOtherTabs } from './session-end.ts';
import { noteSignedIn } from './signed-in-hint.ts';

/** Ends the session, and tells the other tabs. */
export async function endSession(): Promise<void> {
  await call('/auth/sign-out', { method: 'POST' });
  setPagePerson(undefined);
  noteSignedIn(false);
  forgetDrafts();
  tellOtherTabs('You signed out in another tab.');
}

/** Ends the session and forgets its data. */
export function useSignOut(): () => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return () => {
    endSession().then(
      async () => {
        await navigate({ to: '/sign-in' });
        client.clear();
      },
      (error: unknown) =>
        toast(
          `${isFailure(error, 'person_changed') ? '' : 'You are still signed in. '}${messageOf(error)}`,
          'bad',
        ),
    );
  };
}
