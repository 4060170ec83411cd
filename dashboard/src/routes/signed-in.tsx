import type { Me } from '@svc/service/dashboard/wire';
import type { QueryClient } from '@tanstack/react-query';
import { createRoute, Outlet, redirect } from '@tanstack/react-router';
import { isFailure } from '../api/failure.ts';
import { meQuery } from '../api/me.ts';
import { sessionQuery } from '../api/session.ts';
import { FrameSkeleton } from '../layout/frame-skeleton.tsx';
import { forgetDraftsOfOthers } from '../session/draft.ts';
import { startingWorkspace } from '../session/last-workspace.ts';
import { setPagePerson } from '../session/page-person.ts';
import { noteSignedIn, wasSignedIn } from '../session/signed-in-hint.ts';
import { nextTask } from '../tasks.ts';
import { RootFailure, rootRoute } from './root.tsx';

/** Parent of every page that needs a session. Without one, redirects to the sign-in, which leads back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context: { client }, location }) => {
    const me = await meIfSignedIn(client);
    if (me !== null) return { me };
    const next = location.href === '/' ? undefined : location.href;
    throw redirect({ to: '/sign-in', search: { next } });
  },
  // The next page may be that of somebody else.
  onLeave: ({ context: { client } }) => {
    setPagePerson(undefined);
    client.clear();
  },
  component: Outlet,
  pendingComponent: FrameSkeleton,
  errorComponent: RootFailure,
});

/** Redirects to the last visited workspace. Links to it must not preload, or a click would wait for the redirect. */
export const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: ({ context: { me } }) => {
    const workspaceId = startingWorkspace(me);
    if (workspaceId === undefined) throw redirect({ to: '/account', replace: true });
    throw redirect({ to: '/w/$workspaceId', params: { workspaceId }, replace: true });
  },
});

async function meIfSignedIn(client: QueryClient): Promise<Me | null> {
  // At the start, the router calls this in the task of the first render.
  if (client.getQueryData(meQuery.queryKey) === undefined) await nextTask();
  const hinted = wasSignedIn();
  if (!hinted && (await client.fetchQuery(sessionQuery)) === null) return null;
  try {
    const me = await client.ensureQueryData(meQuery);
    if (!hinted) noteSignedIn(true);
    forgetDraftsOfOthers(me.user.email);
    return me;
  } catch (error) {
    if (isFailure(error, 'not_signed_in')) return null;
    throw error;
  }
}
