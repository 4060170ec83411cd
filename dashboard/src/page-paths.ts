/**
 * The paths of all pages, in the router's syntax. The build writes them to pages.json, with a path per resource. The
 * service serves index.html only at these paths, so an unknown path is a 404. A type in router.tsx checks that they equal
 * the routes.
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
  '/w/$workspaceId/keys/$keyId',
  '/w/$workspaceId/log',
  '/w/$workspaceId/webhooks',
  '/w/$workspaceId/webhooks/$endpointId',
  '/w/$workspaceId/webhooks/$endpointId/deliveries/$eventId',
  '/w/$workspaceId/data/$resource',
  '/w/$workspaceId/data/$resource/$recordId',
  '/w/$workspaceId/search',
  '/w/$workspaceId/explorer',
  '/w/$workspaceId/settings',
] as const;

export type PagePath = (typeof PAGE_PATHS)[number];
