import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { rootRoute } from './root.tsx';
import { text } from './search.ts';

/** The pages before the sign-in. One-time links have their token in the fragment of the URL. */

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  /** `next`: path to open after the sign-in. */
  validateSearch: ({ next }: Record<string, unknown>): { next?: string | undefined } => ({
    next: text(next),
  }),
  component: lazyPage(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

export const setUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-up',
  component: lazyPage(() => import('../pages/sign-in/set-up-page.tsx'), 'SetUpPage'),
});

export const passwordResetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password-reset',
  component: lazyPage(() => import('../pages/sign-in/password-reset-page.tsx'), 'PasswordResetPage'),
});

export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyPage(() => import('../pages/sign-in/invitation-page.tsx'), 'InvitationPage'),
});
