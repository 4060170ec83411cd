import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { buildRouter } from './router.tsx';
import { watchLinkTokens } from './session/link-token.ts';
import { noteSignedIn } from './session/signed-in-hint.ts';
import { TooltipProvider } from './ui/popup/tooltip.tsx';
import { Toasts } from './ui/toast/toasts.tsx';
import './styles/index.css';

watchLinkTokens();

// Without this nonce, the content security policy blocks the style that stops the page behind a dialog from scrolling.
setNonce(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '');

const client = createQueryClient(() => {
  const { pathname, href } = router.state.location;
  if (pathname === '/sign-in') return;
  noteSignedIn(false);
  client.removeQueries({ queryKey: ['me'] });
  void router.navigate({ to: '/sign-in', search: { next: href } });
});
const router = buildRouter(client);
// The focused element may have been on the previous page. Then focus the content, not the top of the document.
router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
  if (fromLocation === undefined || !pathChanged || document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
});
// Load the code of the page in parallel with the requests for the person and the workspace.
const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const route of routes) void router.loadRouteChunk(route);

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <RouterProvider router={router} />
        <Toasts />
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
);
