import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../config/clock.ts';
import { unshared } from '../database/lane.ts';
import type { Lanes } from '../database/lanes.ts';
import { ApiError } from '../http/errors.ts';
import { createKeyStore } from '../keys/store.ts';
import type { CursorCodec } from '../list/cursor.ts';
import { registerAcceptance } from './accept-invitation.ts';
import { admitCookies } from './auth/cookies.ts';
import { createDashboardAuth } from './auth/index.ts';
import { registerAuth } from './auth/routes.ts';
import { registerCompanyNames } from './company-names.ts';
import { dashboardConnections } from './connections.ts';
import { requireIdempotencyKeys } from './creations.ts';
import { registerData } from './data.ts';
import { registerDeployment } from './deployment.ts';
import { registerImports } from './imports.ts';
import { registerInvitations } from './invitations.ts';
import { parseJsonBodies } from './json.ts';
import { registerKeys } from './keys.ts';
import { registerLog } from './log.ts';
import { registerMembers } from './members.ts';
import { registerNewWorkspace } from './new-workspace.ts';
import { registerOverview } from './overview.ts';
import { registerResetLinks } from './reset-links.ts';
import { registerResourceShapes } from './resource-shapes.ts';
import { requireSameSite } from './same-site.ts';
import { registerScores } from './scores.ts';
import { securityHeaders } from './security-headers.ts';
import { createSessions } from './session.ts';
import { registerLinks } from './set-up.ts';
import { registerStatic } from './static.ts';
import { registerTraffic } from './traffic.ts';
import { registerUsage } from './usage.ts';
import type { Deployment } from './wire.ts';
import { registerWorkspaces } from './workspaces.ts';

export { createDashboardAuth, type DashboardAuth } from './auth/index.ts';
export { type Bootstrapped, bootstrap } from './bootstrap.ts';
export { deleteExpiredSignIns } from './expired.ts';
export { createSetUpLink, createSignInLink } from './links.ts';

export interface DashboardOptions {
  readonly lanes: Lanes;
  /** The first one signs sessions and issues tokens. */
  readonly secrets: readonly string[];
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  /** The address people reach the service at: pages of no other may use the endpoints. */
  readonly publicUrl: string;
  readonly deployment: Deployment;
}

/**
 * The dashboard: its endpoints below /dashboard/api, for people with a session, and the pages that call them. Keys
 * are made, rotated and revoked here alone: nothing else imports keys/store.ts.
 */
export function registerDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const { publicUrl } = options;
  registerStatic(app, { publicUrl });
  app.register(
    (scope, _, done) => {
      scope.register(helmet, securityHeaders(publicUrl));
      // In a scope of its own, loaded behind the one that gives it its headers.
      scope.register(
        (api, _, done) => {
          registerEndpoints(api, options);
          done();
        },
        { prefix: '/api' },
      );
      done();
    },
    { prefix: '/dashboard' },
  );
}

function registerEndpoints(api: FastifyInstance, options: DashboardOptions): void {
  const { lanes, secrets, cursors, clock, publicUrl, deployment } = options;
  const { people, accounts, requests: pool, changes, standing } = dashboardConnections(api, lanes);
  const auth = createDashboardAuth({ pool: people, accounts, secrets, publicUrl, log: api.log });
  const sessions = createSessions(people, auth, standing);
  // What is answered here is a person's, and some of it is a token.
  api.addHook('onRequest', async (_, reply) => {
    reply.header('cache-control', 'no-store');
  });
  requireSameSite(api, publicUrl);
  admitCookies(api, auth);
  requireIdempotencyKeys(api);
  parseJsonBodies(api);
  api.setNotFoundHandler(() => {
    throw new ApiError('not_found', 'There is no such path.');
  });

  registerAuth(api, { pool: people, auth, publicUrl });
  registerLinks(api, { pool, auth, sessions });
  registerAcceptance(api, { pool, auth, sessions });
  registerResetLinks(api, { pool, auth, sessions, publicUrl });
  registerDeployment(api, { sessions, deployment });
  registerWorkspaces(api, { pool, auth, sessions });
  registerNewWorkspace(api, { pool, sessions });
  registerUsage(api, { pool, sessions });
  registerCompanyNames(api, { pool, sessions });
  registerMembers(api, { pool, auth, sessions });
  registerInvitations(api, { pool, auth, sessions, publicUrl });
  const reader = { reads: unshared(pool), cursors, clock };
  registerLog(api, { pool, changes, slow: lanes.slow, sessions, reader });
  registerResourceShapes(api, { sessions });
  registerData(api, { pool, sessions, reader });
  registerScores(api, { pool, sessions, clock });
  registerImports(api, { pool, sessions, clock });
  registerTraffic(api, { pool, sessions, clock });
  registerOverview(api, { pool, sessions });
  registerKeys(api, { sessions, keys: createKeyStore(unshared(pool), secrets), reader });
}
