import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { rootRoute } from './root.tsx';
import { text } from './search.ts';

/** Where people come in: with their password, or with the token of a link in the fragment. */

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  /** `next`: the path to go on to. */
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
