/** Routes where a repeat does no harm, with the reason. */
export const HARMLESS: Readonly<Record<string, string>> = {
  '/set-up': 'its link works once',
  '/sign-in-link': 'its link works once',
  '/invitations/read': 'reads',
  '/workspaces/:workspaceId/members/:memberId/password-reset': 'a new link replaces the earlier one',
  '/password-reset/read': 'reads',
  '/password-reset': 'its link works once',
  '/invitations/accept': 'its link works once',
  '/workspaces/:workspaceId/data/:resource/batch/delete': 'a record is deleted once',
  '/workspaces/:workspaceId/webhooks/:endpointId/rotate': 'replaces the secret; the endpoint stays one',
  '/workspaces/:workspaceId/webhooks/:endpointId/deliveries/:eventId/replay': 'the receiver knows the id',
  '/workspaces/:workspaceId/webhooks/:endpointId/replay': 'the receiver knows the ids',
  '/workspaces/:workspaceId/webhooks/:endpointId/test': 'changes nothing, and a limited number waits',
  '/workspaces/:workspaceId/keys/:keyId/pause': 'changes nothing the second time',
  '/workspaces/:workspaceId/keys/:keyId/resume': 'changes nothing the second time',
  '/workspaces/:workspaceId/keys/:keyId/rotate': 'replaces the token; the key stays one',
  '/workspaces/:workspaceId/keys/:keyId/revoke': 'changes nothing the second time',
};
