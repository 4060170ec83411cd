import './chunks/react.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { meQuery } from './api/me.ts';
import { createQueryClient } from './api/query-client.ts';
import { buildRouter } from './router.tsx';
import { keepDrafts } from './session/draft.ts';
import { watchLinkTokens } from './session/link-token.ts';
import { checkMembership, forgetWorkspace, readRoleAgain } from './session/lost-workspace.ts';
import { takeProviderAnswer } from './session/provider-answer.ts';
import { setEndReason, tellOtherTabs, watchOtherTabs } from './session/session-end.ts';
import { noteSignedIn } from './session/signed-in-hint.ts';
import { nextTask } from './tasks.ts';
import { toast } from './ui/toast/toast-store.ts';
import { Toasts } from './ui/toast/toasts.tsx';
import './styles/index.css';

// The start is several short tasks, so that a slow processor can respond between them.
await nextTask();

watchLinkTokens();
takeProviderAnswer();

// Without this nonce, the content security policy blocks the style that stops the page behind a dialog from scrolling.
setNonce(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '');

const client = createQueryClient({
  onSignedOut: ({ sessionEnded, message }) => {
    if (onSignInPage()) return;
    noteSignedIn(false);
    leave(sessionEnded ? message : null);
    if (sessionEnded) tellOtherTabs({ ended: message });
  },
  onPersonChanged: () => leave('Somebody else has signed in in this browser.'),
  onNotFound: () => {
    const workspaceId = shownWorkspace();
    if (workspaceId === undefined) return;
    void checkMembership(client, workspaceId, () => void router.invalidate());
  },
  onNotAllowed: () => {
    const workspaceId = shownWorkspace();
    if (workspaceId === undefined) return;
    void readRoleAgain(client, workspaceId).then((role) => {
      if (role !== undefined) toast(`Your role in this workspace is now ${role}.`, 'bad');
    });
  },
  onBlocked: () => {
    const workspaceId = shownWorkspace();
    if (workspaceId !== undefined && forgetWorkspace(client, workspaceId)) void router.invalidate();
  },
});
const shownWorkspace = (): string | undefined =>
  router.state.matches.flatMap(({ params }) => ('workspaceId' in params ? [params.workspaceId] : []))[0];
const router = buildRouter(client);
const onSignInPage = (): boolean => router.state.location.pathname === '/sign-in';
/**
 * Opens the sign-in page, which says why the session ended and leads back. Until it is shown, the page is still that of its
 * person: a dialog can block the navigation.
 */
function leave(reason: string | null): void {
  if (onSignInPage()) return;
  const email = client.getQueryData(meQuery.queryKey)?.user.email;
  if (email !== undefined) keepDrafts(email);
  setEndReason(reason);
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href }, replace: true });
}
watchOtherTabs((message) => {
  const signedIn = router.state.matches.some(({ routeId }) => routeId.startsWith('/signed-in'));
  if (!signedIn) return;
  if (message !== 'signed-in') leave(message.ended);
  // The service refuses the request if somebody else has signed in.
  else client.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => undefined);
});
// The focused element may have been on the previous page. Then focus the content, not the top of the document.
router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
  if (fromLocation === undefined || !pathChanged || document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
});
await nextTask();

// Load the code of the page in parallel with the requests for the person and the workspace.
const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const route of routes) void router.loadRouteChunk(route);
await nextTask();

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
// React renders a transition in short tasks.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  ),
);
