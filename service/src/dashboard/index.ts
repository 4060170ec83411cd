import helmet from '@fastify/helmet';
import type { CursorCodec } from '@svc/deployment-secrets/cursors';
import { securityHeaders } from '@svc/http-content/security-headers';
import { unshared } from '@svc/turns/lane';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { UsageCounter } from '../audit-log/usage/usage-counter.ts';
import type { OidcSettings } from '../config/oidc.ts';
import type { Clock } from '../config/time.ts';
import type { Lanes } from '../database/lanes.ts';
import { ApiError } from '../http/errors.ts';
import { createKeyStore } from '../keys/store.ts';
import type { ChangeSignals } from '../signals/signals.ts';
import { registerAccount } from './auth/account.ts';
import { createDashboardAuth } from './auth/index.ts';
import { registerSignIn } from './auth/sign-in.ts';
import type { DashboardContext } from './context.ts';
import { registerLog } from './log/log.ts';
import { registerOpenId } from './openid/index.ts';
import { registerInvitations } from './people/invitations.ts';
import { registerMembers } from './people/members.ts';
import { registerOwnAccount } from './people/own-account.ts';
import { registerPasswordReset } from './people/password-reset.ts';
import { registerSetUp } from './people/set-up.ts';
import { registerData } from './records/data.ts';
import { registerHistory } from './records/history.ts';
import { registerImports } from './records/import/imports.ts';
import { registerSearch } from './records/search.ts';
import { registerRecordWrites } from './records/writes.ts';
import { parseJsonBodies } from './requests/body.ts';
import { dashboardConnections } from './requests/connections.ts';
import { admitCookies } from './requests/cookies.ts';
import { requireIdempotencyKeys } from './requests/creations.ts';
import { requireSameSite } from './requests/same-site.ts';
import { createSessions } from './requests/session.ts';
import { registerStatic } from './site/static.ts';
import { registerWebhooks } from './webhooks/index.ts';
import { createWebhooks } from './webhooks/receivers.ts';
import type { Deployment } from './wire.ts';
import { registerDeletion } from './workspace/deletion.ts';
import { registerExplorer } from './workspace/explorer.ts';
import { registerKeyReads } from './workspace/key-reads.ts';
import { registerKeys } from './workspace/keys.ts';
import { registerOverview } from './workspace/overview.ts';
import { registerPlots } from './workspace/plots.ts';
import { registerWorkspaces } from './workspace/workspaces.ts';

export { createDashboardAuth, type DashboardAuth } from './auth/index.ts';
export { deleteExpiredSignIns } from './expired.ts';
export { createSetUpLink, createSignInLink } from './people/links.ts';
export { type Bootstrapped, bootstrap } from './people/operator.ts';

export interface DashboardOptions {
  readonly lanes: Lanes;
  /** The first one signs sessions and issues tokens. */
  readonly secrets: readonly string[];
  readonly cursors: CursorCodec;
  readonly usage: UsageCounter;
  readonly signals: ChangeSignals;
  readonly clock: Clock;
  /** The address at which people open the service. The endpoints refuse requests of pages from another origin. */
  readonly publicUrl: string;
  readonly deployment: Deployment;
  /** Sign-in with OpenID Connect. Undefined: only with passwords. */
  readonly oidc: OidcSettings | undefined;
  /** Receivers of webhooks may be in these networks, besides the public internet. */
  readonly webhookNetworks: string;
}

/**
 * Registers the dashboard: its endpoints below /dashboard/api, for people with a session, and the pages that call them.
 * Only the dashboard creates, rotates and revokes keys: no other part of the service imports keys/store.ts.
 */
export function registerDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const { publicUrl } = options;
  registerStatic(app, { publicUrl });
  const endpoints: FastifyPluginAsync = async (api) => {
    // Before the endpoints, so that every response has the security headers.
    await api.register(helmet, securityHeaders(publicUrl));
    registerEndpoints(api, options);
  };
  app.register(endpoints, { prefix: '/dashboard/api' });
}

/** Registers the endpoints, and before them the hooks (requests/) that each request passes, in this order. */
function registerEndpoints(api: FastifyInstance, options: DashboardOptions): void {
  const { lanes, secrets, cursors, usage, signals, clock, publicUrl, deployment, oidc, webhookNetworks } =
    options;
  const { people, accounts, requests: pool, changes, identity } = dashboardConnections(api, lanes);
  const auth = createDashboardAuth({ pool: people, accounts, secrets, publicUrl, log: api.log });
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

  const context: DashboardContext = {
    people,
    pool,
    changes,
    slow: lanes.slow,
    auth,
    sessions: createSessions(people, auth, identity),
    keys: createKeyStore(unshared(pool), secrets),
    reader: { reads: unshared(pool), cursors, clock },
    usage,
    signals,
    clock,
    publicUrl,
    oidc,
    deployment,
    webhooks: createWebhooks(secrets, webhookNetworks),
  };
  registerSignIn(api, context);
  registerOpenId(api, context);
  registerAccount(api, context);
  registerOwnAccount(api, context);
  registerSetUp(api, context);
  registerPasswordReset(api, context);
  registerWorkspaces(api, context);
  registerDeletion(api, context);
  registerMembers(api, context);
  registerInvitations(api, context);
  registerKeyReads(api, context);
  registerExplorer(api, context);
  registerKeys(api, context);
  registerWebhooks(api, context);
  registerOverview(api, context);
  registerPlots(api, context);
  registerData(api, context);
  registerSearch(api, context);
  registerRecordWrites(api, context);
  registerHistory(api, context);
  registerImports(api, context);
  registerLog(api, context);
}
