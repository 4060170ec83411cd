import { createRoom, type RoomLimits } from '@svc/fair-queue';
import { BusyError } from '@svc/turns';
import { sizeOf } from '../audit-log/audit-queue.ts';
import type { AuditWriter } from '../audit-log/audit-writer.ts';
import type { AuditedRequest, Outcome } from '../audit-log/audited-request.ts';

/**
 * Passes entries to the writer of another process with `send`. The channel between the processes has no limit of its own,
 * so the entries that have no outcome yet have one: beyond it, `append` rejects with BusyError.
 */
export function createRemoteWriter(
  send: (request: AuditedRequest) => Promise<Outcome>,
  limits: RoomLimits,
): AuditWriter {
  const room = createRoom(limits);
  const sent = new Set<Promise<Outcome>>();
  return {
    async append(request) {
      const { workspaceId } = request;
      const bytes = sizeOf(request);
      if (!room.fits(workspaceId, bytes)) throw new BusyError('too many audit entries wait to be written');
      room.add(workspaceId, 1, bytes);
      const outcome = send(request);
      sent.add(outcome);
      try {
        return await outcome;
      } finally {
        sent.delete(outcome);
        room.add(workspaceId, -1, -bytes);
      }
    },
    async drain() {
      await Promise.allSettled(sent);
    },
  };
}
