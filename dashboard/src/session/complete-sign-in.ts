import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { serviceUrl } from '../base.ts';
import { forgetLinkToken } from './link-token.ts';
import { setPagePerson } from './page-person.ts';
import { setEndReason, tellOtherTabs } from './session-end.ts';
import { noteSignedIn } from './signed-in-hint.ts';

/** `next` if it is a path of this site, never the URL of another site. Default: `/`. */
export const siteHref = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/';

/** Returns a function to call after a sign-in. It forgets the data of an earlier session and opens `next`. Default: `/`. */
export function useCompleteSignIn(): (next?: string) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async (next) => {
    client.clear();
    forgetLinkToken();
    noteSignedIn(true);
    setPagePerson(undefined);
    setEndReason(null);
    tellOtherTabs('signed-in');
    const path = siteHref(next);
    // A link with a token loads the page again: the page that is still shown must not take the token for one of its own.
    if (path.includes('#token=')) location.replace(serviceUrl() + path);
    else await router.navigate({ href: path, replace: true });
  };
}
