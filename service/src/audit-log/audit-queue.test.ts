import { BusyError } from '@svc/turns';
import { expect, test } from 'vitest';
import { AUDIT_QUEUE_LIMITS, createAuditQueue } from './audit-queue.ts';
import type { Outcome } from './audited-request.ts';

test('a request whose entry is not taken in time gets BusyError', async () => {
  const queue = createAuditQueue({ ...AUDIT_QUEUE_LIMITS, waitMs: 20 });
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const request = {
    ...{ workspaceId: 'a', keyId: 'key', tokenVersion: 1, counted: true, failed: false, durationMs: 1 },
    entry: { kind: 'api.request', keyId: 'key', actor: null, path: '/v1/audits' } as const,
  };
  expect(queue.add({ ...request, sinceMs: performance.now(), resolve, reject })).toBe(true);
  await expect(promise).rejects.toBeInstanceOf(BusyError);
  expect(queue.waiting(() => true)).toEqual([]);
});
