import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { forgetLinkToken } from './link-token.ts';
import { noteSignedIn } from './signed-in-hint.ts';

/** After a session was opened: nothing of an earlier one is kept, and the way leads to `next`, or to the start. */
export function useCompleteSignIn(): (next?: string) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async (next) => {
    client.clear();
    forgetLinkToken();
    noteSignedIn(true);
    // A path of ours, never an address of somebody else's.
    const path = next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/';
    await router.navigate({ href: path, replace: true });
  };
}
