import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { FrameSkeleton } from '../layout/frame-skeleton.tsx';
import { RootFailure } from './root.tsx';
import { signedInRoute } from './signed-in.tsx';

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyPage(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
  pendingComponent: FrameSkeleton,
  errorComponent: RootFailure,
});
