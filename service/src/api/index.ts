import http from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { QuotaState } from '../audit-log/append-requests.ts';
import { ApiError } from '../http/errors.ts';
import { type AuditOptions, auditAnswer, quotaExceeded } from './audit-hook.ts';
import { type AuthenticationOptions, authenticate } from './authentication.ts';

/** All that Node.js reads, but the one that asks for a tunnel and never arrives as a request. */
const METHODS = http.METHODS.filter((method) => method !== 'CONNECT');

export interface V1Options extends AuthenticationOptions, AuditOptions {
  readonly readQuota: (workspaceId: string) => Promise<QuotaState | null>;
}

/**
 * What every path below /v1 has in common, also unknown ones: authentication ahead of everything, the audit entry
 * behind everything. `routes` registers the paths.
 */
export function registerV1(
  app: FastifyInstance,
  options: V1Options,
  routes: (v1: FastifyInstance) => void,
): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  app.register(
    (v1, _options, done) => {
      const methods = new Map<string, Set<string>>();
      v1.addHook('onRoute', ({ url, method }) => {
        const known = methods.get(url) ?? new Set();
        for (const name of [method].flat()) known.add(name);
        methods.set(url, known);
      });
      v1.addHook('onRequest', async (request, reply) => {
        // A cache must not give one key what another one got.
        reply.header('vary', 'authorization');
        await authenticate(request, options);
        await refuseOverQuota(request.key, options);
      });
      v1.addHook('onSend', (request, reply, payload) => auditAnswer(request, reply, payload, options));
      v1.setNotFoundHandler(() => {
        throw new ApiError('not_found', 'There is no such path.');
      });
      routes(v1);
      const allowed = [...methods.keys()].map((url) => {
        // A record may be called like a path below its list: `/v1/audits/batch` is one to whoever reads it.
        const ofRecords = methods.get(url.replace(/[^/]+$/, ':id')) ?? [];
        return { url, known: [...new Set([...(methods.get(url) ?? []), ...ofRecords])] };
      });
      for (const { url, known } of allowed) {
        const others = METHODS.filter((method) => !known.includes(method));
        const allow = known.join(', ');
        const refuse = ({ method }: { readonly method: string }): never => {
          throw new ApiError('method_not_allowed', `${method} is not allowed here. Allowed: ${allow}.`, {
            allow,
          });
        };
        // After authentication and before the body is read.
        const onRequest = async (request: FastifyRequest): Promise<void> => refuse(request);
        v1.route({ method: others, url: url.replace(/^\/v1/, ''), onRequest, handler: refuse });
      }
      done();
    },
    { prefix: '/v1' },
  );
}

/** Once a workspace was found over its quota, requests are refused before any data is read; the database decides. */
async function refuseOverQuota(
  key: { readonly workspaceId: string; readonly mode: string } | null,
  options: V1Options,
): Promise<void> {
  if (key === null || key.mode !== 'live' || !options.exhausted.has(key.workspaceId)) return;
  const quota = await options.readQuota(key.workspaceId);
  if (quota !== null && quota.used >= quota.limit) throw quotaExceeded(quota, options.clock());
  options.exhausted.delete(key.workspaceId);
}
