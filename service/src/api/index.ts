import type { CursorCodec } from '@svc/deployment-secrets/cursors';
import { allowOrigins } from '@svc/http-content/cors';
import { acceptEveryMethod, collectMethods, refuseOtherMethods } from '@svc/http-content/methods';
import { RESPONSE_HEADERS } from '@svc/openapi/headers';
import type { Limiter } from '@svc/rate-limiter';
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { AuditWriter } from '../audit-log/audit-writer.ts';
import type { UsageCounter } from '../audit-log/usage/usage-counter.ts';
import type { Clock } from '../config/time.ts';
import type { Lanes } from '../database/lanes.ts';
import { ApiError } from '../http/errors.ts';
import { type AuthenticatedKey, createAuthenticator } from '../keys/authenticate.ts';
import { apiKeys, changes, RESOURCES } from '../resources/index.ts';
import type { ChangeSignals } from '../signals/signals.ts';
import { auditResponse } from './audit-hook.ts';
import { authenticate, networkNotAllowed } from './authentication.ts';
import { compressPages } from './compress.ts';
import { registerExports } from './export.ts';
import { registerChangeStream } from './feed/change-stream.ts';
import { registerChanges } from './feed/changes.ts';
import { createWaits } from './feed/waits.ts';
import { createQuotaGate, requireBurst } from './limits.ts';
import { registerMe } from './me.ts';
import { memberCaller } from './member-caller.ts';
import { registerCount, registerReads } from './reads.ts';
import { registerBatch, registerWrites } from './writes.ts';

export interface ApiOptions {
  readonly lanes: Pick<Lanes, 'reads' | 'writes' | 'isDistributed'>;
  /** The secrets that tokens are found by. New index values use the first one; those of all secrets are accepted. */
  readonly secrets: readonly string[];
  readonly cursors: CursorCodec;
  readonly limiter: Limiter;
  readonly auditWriter: AuditWriter;
  readonly usage: UsageCounter;
  readonly signals: ChangeSignals;
  /** Gets the metrics of this process. */
  readonly registry: Registry;
  readonly failedAuthPerMinute: number;
  /** The origins whose pages may use /v1 in a browser. */
  readonly corsOrigins: readonly string[];
  readonly clock: Clock;
}

/**
 * Registers every path below /v1. Each request, also one for an unknown path, passes three steps: authentication and
 * limits (onRequest), the route, and the audit entry (onSend). Closing the app writes and counts the entries that wait.
 */
export function registerV1(app: FastifyInstance, options: ApiOptions): void {
  const { lanes, secrets, cursors, limiter, auditWriter, usage, signals, failedAuthPerMinute, clock } =
    options;
  const { corsOrigins } = options;
  const { reads, writes, isDistributed } = lanes;
  const authenticator = createAuthenticator(lanes, secrets, clock, (error) =>
    app.log.warn({ err: error }, 'a key could not be moved to the first secret; its next use tries again'),
  );
  const quotaGate = createQuotaGate(reads, clock);
  app.addHook('onClose', () => auditWriter.drain().then(usage.stop));
  app.decorateRequest('caller', null);
  const waits = createWaits({ signals, confirm: authenticator.confirm });
  new Gauge({
    name: 'svc_waiting_requests',
    help: 'Requests that wait for changes: long polls and streams.',
    registers: [options.registry],
    collect() {
      this.set(waits.size);
    },
  });
  // Waiting requests respond before the server waits for the end of all requests.
  app.addHook('preClose', async () => waits.close());
  const confirmQuota = async (key: AuthenticatedKey): Promise<void> => {
    if (key.mode === 'live') await quotaGate.confirm(key.workspaceId);
  };
  acceptEveryMethod(app);

  app.register(
    (v1, _options, done) => {
      const methods = collectMethods(v1);
      const allowOrigin = allowOrigins(v1, corsOrigins, RESPONSE_HEADERS);
      v1.addHook('onRequest', async (request, reply) => {
        // A cache must not return the response for one key to another key.
        reply.header('vary', 'authorization');
        const options = { authenticator, limiter, failedAuthPerMinute };
        const caller = memberCaller() ?? (await authenticate(request, options));
        // From here on the response to a key has an audit entry, also if the request is refused.
        request.caller = caller;
        if (!caller.addressAllowed) throw networkNotAllowed();
        await requireBurst(caller, limiter);
        if (caller.key.mode === 'live') await quotaGate.require(caller.key.workspaceId);
      });
      v1.addHook('onSend', (request, reply, payload: unknown) =>
        auditResponse(request, reply, payload, { auditWriter, usage, quotaGate, clock }),
      );
      v1.addHook('onSend', compressPages());
      // After the audit entry, which may replace the response: a page must also be able to read the refusal.
      if (allowOrigin !== undefined) v1.addHook('onSend', allowOrigin);
      v1.setNotFoundHandler(() => {
        throw new ApiError('not_found', 'There is no such path.');
      });
      registerMe(v1, { reads, quotaGate, clock });
      registerChanges(v1, { reads, cursors, clock }, { waits, confirmQuota });
      registerChangeStream(v1, { reads, writes, waits, auditWriter, quotaGate });
      const writer = { writes, isDistributed, quotaGate, signals };
      for (const resource of RESOURCES) {
        if (resource === changes) continue;
        // Keys show their last use, with all earlier live requests (docs/assumptions.md): so it is counted first.
        const prepare = resource === apiKeys ? usage.catchUp : undefined;
        registerReads(v1, resource, { reads, cursors, clock, prepare });
        if (resource.counted === true) registerCount(v1, resource, reads);
        if (resource.writable) registerWrites(v1, resource, writer);
      }
      registerBatch(v1, RESOURCES, writer);
      registerExports(v1, RESOURCES, { reads, waits, auditWriter, quotaGate });
      refuseOtherMethods(v1, methods, otherMethod);
      done();
    },
    { prefix: '/v1' },
  );
}

const otherMethod = (method: string, allow: string): ApiError =>
  new ApiError('method_not_allowed', `${method} is not allowed here. Allowed: ${allow}.`, { allow });
