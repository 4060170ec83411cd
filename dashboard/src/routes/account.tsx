import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { PageSkeleton } from '../layout/page-skeleton.tsx';
import { RootFailure } from './root.tsx';
import { signedInRoute } from './signed-in.tsx';

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyPage(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
  pendingComponent: PageSkeleton,
  errorComponent: RootFailure,
});
