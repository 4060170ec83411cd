import type { Queryable, Shares } from '@svc/turns/lane';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuditWriter } from '../../audit-log/audit-writer.ts';
import { newestPosition, readChangesAfter } from '../../changes/after.ts';
import type { ChangeFilter } from '../../changes/scan.ts';
import { STREAM_PAGE_CHANGES } from '../../config/limits.ts';
import { originOf } from '../../http/request.ts';
import type { AuthenticatedKey } from '../../keys/authenticate.ts';
import { parseListQuery, type RawQuery } from '../../list/query.ts';
import { changes } from '../../resources/index.ts';
import { allowParameters, orInvalidParameter, requireReadable } from '../guards.ts';
import { type QuotaGate, takeUnit } from '../limits.ts';
import { requireOwnCompany } from '../reads.ts';
import { expired, NOW, requirePosition } from './changes.ts';
import { createClosedStreams } from './closed-streams.ts';
import { sendStream } from './stream.ts';
import type { Waits } from './waits.ts';

interface ChangeStreamOptions {
  readonly reads: Shares;
  readonly writes: Shares;
  readonly waits: Waits;
  readonly auditWriter: AuditWriter;
  readonly quotaGate: QuotaGate;
}

/** The changes as server-sent events. The id of an event is that of its change, which is also a position. */
export function registerChangeStream(v1: FastifyInstance, options: ChangeStreamOptions): void {
  const { reads, writes, waits, auditWriter, quotaGate } = options;
  const closedStreams = createClosedStreams(writes, v1.log);
  v1.addHook('onClose', () => closedStreams.close());

  v1.get<{ Querystring: RawQuery }>(`/${changes.name}/stream`, async (request, reply) => {
    const key = requireReadable(request, changes);
    const { workspaceId } = key;
    const connections = reads.of(workspaceId);
    const filter = filterOf(request.query, key);
    const start = await startOf(request, connections, workspaceId);
    const live = key.mode === 'live';
    if (live) closedStreams.requireRoom(workspaceId);
    return sendStream(request, reply, key, start, {
      waits,
      read: async (after) => {
        const page = await readChangesAfter(connections, workspaceId, {
          ...filter,
          after,
          limit: STREAM_PAGE_CHANGES,
        });
        if (page === 'expired') throw expired();
        return page;
      },
      takeQuota: async (confirmed) => {
        if (live) await takeUnit(confirmed, auditWriter, quotaGate);
      },
      onClosed: (closed) => {
        if (live) closedStreams.add(workspaceId, { ...closed, keyId: key.keyId, origin: originOf(request) });
      },
    });
  });
}

/** The filters of a stream are those of the list. */
function filterOf(query: RawQuery, key: AuthenticatedKey): ChangeFilter {
  const { after: _, ...filters } = query;
  allowParameters(query, ['after', ...Object.keys(changes.list.filters)]);
  const parsed = orInvalidParameter(parseListQuery(changes.list, filters));
  requireOwnCompany(parsed, key);
  const { resource, type, companyId = key.companyId ?? undefined } = parsed.filters;
  return { resource, types: type === undefined ? undefined : [type], companyId };
}

/**
 * The position at which a stream starts. A client that connects again sends the id of its last event, with the same URL: so
 * this header decides. Default: now.
 */
async function startOf(
  request: FastifyRequest,
  connections: Queryable,
  workspaceId: string,
): Promise<string> {
  const { after } = Object(request.query) as RawQuery;
  const last = request.headers['last-event-id'];
  const start = String(last || (after ?? NOW));
  if (start === NOW) return newestPosition(connections, workspaceId);
  requirePosition(workspaceId, start, last ? 'The Last-Event-ID header' : undefined);
  return start;
}
