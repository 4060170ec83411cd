import type { AuditedRequest } from './audited-request.ts';

/** A key and its workspace. */
export interface Caller {
  readonly workspaceId: string;
  readonly keyId: string;
}

/** A request of a key that has not changed. */
export const requestOf = (caller: Caller, more: Partial<AuditedRequest> = {}): AuditedRequest => ({
  ...{ ...caller, tokenVersion: 1, counted: true, failed: false, durationMs: 1 },
  validity: { keysVersion: 0, expiresAt: null },
  entry: {
    kind: 'api.request',
    keyId: caller.keyId,
    actor: null,
    method: 'GET',
    path: '/v1/audits',
    status: 200,
  },
  ...more,
});

export const groupOf = (requests: readonly AuditedRequest[]) =>
  Map.groupBy(requests, ({ workspaceId }) => workspaceId);
