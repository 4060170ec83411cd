import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../config/time.ts';
import { unshared } from '../database/lane.ts';
import type { Lanes } from '../database/lanes.ts';
import { ApiError } from '../http/errors.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { createKeyStore } from '../keys/store.ts';
import type { CursorCodec } from '../list/cursor.ts';
import { admitCookies } from './auth/cookies/cookies.ts';
import { createDashboardAuth } from './auth/index.ts';
import { registerAuth } from './auth/routes.ts';
import type { DashboardContext } from './context.ts';
import { registerLog } from './log/log.ts';
import { registerAcceptance } from './people/accept-invitation.ts';
import { registerInvitations } from './people/invitations.ts';
import { registerMembers } from './people/members.ts';
import { registerResetLinks } from './people/reset-links.ts';
import { registerLinks } from './people/set-up.ts';
import { registerData } from './records/data.ts';
import { registerImports } from './records/imports.ts';
import { registerResourceShapes } from './records/resource-shapes.ts';
import { registerScores } from './records/scores.ts';
import { parseJsonBodies } from './requests/body.ts';
import { dashboardConnections } from './requests/connections.ts';
import { requireIdempotencyKeys } from './requests/creations.ts';
import { requireSameSite } from './requests/same-site.ts';
import { createSessions } from './requests/session.ts';
import { registerStatic } from './site/static.ts';
import type { Deployment } from './wire.ts';
import { registerCompanyNames } from './workspace/company-names.ts';
import { registerDeployment } from './workspace/deployment.ts';
import { registerKeys } from './workspace/keys.ts';
import { registerNewWorkspace } from './workspace/new-workspace.ts';
import { registerOverview } from './workspace/overview.ts';
import { registerTraffic } from './workspace/traffic.ts';
import { registerUsage } from './workspace/usage.ts';
import { registerWorkspaces } from './workspace/workspaces.ts';

export { createDashboardAuth, type DashboardAuth } from './auth/index.ts';
export { deleteExpiredSignIns } from './expired.ts';
export { type Bootstrapped, bootstrap } from './people/bootstrap.ts';
export { createSetUpLink, createSignInLink } from './people/links.ts';

export interface DashboardOptions {
  readonly lanes: Lanes;
  /** The first one signs sessions and issues tokens. */
  readonly secrets: readonly string[];
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  /** The address at which people open the service. The endpoints refuse requests of pages from another origin. */
  readonly publicUrl: string;
  readonly deployment: Deployment;
}

/**
 * Registers the dashboard: its endpoints below /dashboard/api, for people with a session, and the pages that call them.
 * Only the dashboard creates, rotates and revokes keys: no other part of the service imports keys/store.ts.
 */
export function registerDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const { publicUrl } = options;
  registerStatic(app, { publicUrl });
  app.register(
    (scope, _, done) => {
      scope.register(helmet, securityHeaders(publicUrl));
      // Its own scope, which Fastify loads after helmet, so that every response has the security headers.
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
  // Responses hold a person's data, and some hold a token.
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
  const context: DashboardContext = {
    pool,
    changes,
    slow: lanes.slow,
    auth,
    sessions,
    keys: createKeyStore(unshared(pool), secrets),
    reader: { reads: unshared(pool), cursors, clock },
    clock,
    publicUrl,
    deployment,
  };
  registerLinks(api, context);
  registerAcceptance(api, context);
  registerResetLinks(api, context);
  registerDeployment(api, context);
  registerWorkspaces(api, context);
  registerNewWorkspace(api, context);
  registerUsage(api, context);
  registerCompanyNames(api, context);
  registerMembers(api, context);
  registerInvitations(api, context);
  registerLog(api, context);
  registerResourceShapes(api, context);
  registerData(api, context);
  registerScores(api, context);
  registerImports(api, context);
  registerTraffic(api, context);
  registerOverview(api, context);
  registerKeys(api, context);
}
