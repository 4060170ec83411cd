/**
 * Every path at which a page is to be found, in the router's spelling. The service serves index.html at these and at
 * no other (the build hands it the list), so that an unknown path stays a 404. A type in router.tsx holds them equal
 * to the routes.
 */
export const PAGE_PATHS = [
  '/',
  '/sign-in',
  '/set-up',
  '/invitation',
  '/password-reset',
  '/account',
  '/w/$workspaceId',
  '/w/$workspaceId/keys',
  '/w/$workspaceId/log',
  '/w/$workspaceId/data/audits',
  '/w/$workspaceId/data/audits/$recordId',
  '/w/$workspaceId/data/mentions',
  '/w/$workspaceId/data/mentions/$recordId',
  '/w/$workspaceId/data/content',
  '/w/$workspaceId/data/content/$recordId',
  '/w/$workspaceId/data/companies',
  '/w/$workspaceId/data/companies/$recordId',
  '/w/$workspaceId/explorer',
  '/w/$workspaceId/settings',
] as const;

export type PagePath = (typeof PAGE_PATHS)[number];
