import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PageSkeleton } from '../layout/page-skeleton.tsx';
import { RootFailure } from './root.tsx';
import { signedInRoute } from './signed-in.tsx';

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
  pendingComponent: PageSkeleton,
  errorComponent: RootFailure,
});
