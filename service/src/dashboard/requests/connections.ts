import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { rateLimitKey } from '@svc/ip-addresses/proxies';
import { comparedParameters, RECORDS } from '@svc/sdk/contract';
import type { Connections, Lane } from '@svc/turns/lane';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Lanes } from '../../database/lanes.ts';
import { KNOWN_SESSIONS_MAX } from '../limits.ts';

const WORKSPACE = '/workspaces/:workspaceId';

/** Reads of a workspace at a bounded cost. All others use the slow lane, where they delay only each other. */
const CHEAP_READS: ReadonlySet<string> = new Set([
  WORKSPACE,
  `${WORKSPACE}/data/:resource`,
  `${WORKSPACE}/data/:resource/:recordId`,
  `${WORKSPACE}/invitations`,
  `${WORKSPACE}/keys`,
  `${WORKSPACE}/keys/:keyId`,
  `${WORKSPACE}/keys/:keyId/usage`,
  `${WORKSPACE}/log/:entryId`,
  `${WORKSPACE}/members`,
  `${WORKSPACE}/month`,
  `${WORKSPACE}/webhooks`,
  `${WORKSPACE}/webhooks/:endpointId`,
]);

/** Parameters with which a list reads more rows than its page. */
const SEARCHES: ReadonlySet<string> = new Set(Object.values(RECORDS).flatMap(comparedParameters));

/**
 * The connections of the running request. Routes do not choose a lane, so none can choose a wrong one. The share depends
 * on what is confirmed about the request (docs/decisions/0011). Nothing: the share of its network among requests that are
 * not signed in. A session: the share of the person within the network. A membership: the share of the workspace in the
 * path.
 */
export interface DashboardConnections {
  /** For sign-in, sessions and reads at a bounded cost. */
  readonly people: Connections;
  /** For transactions of sign-in and members. Those of a member wait for their turn among the writes of the workspace. */
  readonly accounts: Connections;
  /** For everything else. A request that changes data waits for its turn among the writes of its owner. */
  readonly requests: Connections;
  /** For the writes of a request that otherwise only reads. */
  readonly changes: Connections;
  readonly identity: RequestIdentity;
}

/** Stores what the look-ups of session and role confirm about the running request. */
export interface RequestIdentity {
  /** Runs such a look-up, on connections that only look-ups use. */
  lookUp<T>(work: () => Promise<T>): Promise<T>;
  /** The session belongs to this person. Undefined: it has ended. */
  identify(personId: string | undefined): void;
  /** The person is a member of the workspace in the path. */
  admit(): void;
}

type Kind = Exclude<keyof DashboardConnections, 'identity'>;
type Chosen = Readonly<Record<Kind, Connections>>;

/** A request and what is confirmed about it. */
interface RequestContext {
  readonly request: FastifyRequest;
  readonly network: string;
  /** Hash of the token in the session's cookie. */
  readonly session: string | undefined;
  personId: string | undefined;
  admitted: boolean;
}

export function dashboardConnections(api: FastifyInstance, lanes: Lanes): DashboardConnections {
  const known = createKnownSessions();
  const running = new AsyncLocalStorage<RequestContext>();
  const lookingUp = new AsyncLocalStorage<true>();
  // After the body has arrived, because its events do not belong to the request's asynchronous context.
  api.addHook('preHandler', (request, _reply, done) => {
    running.run(contextOf(request, known), done);
  });
  const nobody = lanes.people.of('nobody');
  const choose = (kind: Kind): Connections => {
    const context = running.getStore();
    if (context === undefined) return nobody;
    const chosen = lookingUp.getStore()
      ? lookUpsOf(context, lanes)
      : connectionsOf(context, lanes, api.prefix);
    return chosen[kind];
  };
  const of = (kind: Kind): Connections => ({
    query: (query, values) => choose(kind).query(query, values),
    connect: () => choose(kind).connect(),
  });
  const identity: RequestIdentity = {
    lookUp: (work) => lookingUp.run(true, work),
    identify: (personId) => {
      const context = running.getStore();
      if (context?.session === undefined) return;
      known.keep(context.session, personId);
      context.personId = personId;
    },
    admit: () => {
      const context = running.getStore();
      if (context !== undefined) context.admitted = true;
    },
  };
  return {
    people: of('people'),
    accounts: of('accounts'),
    requests: of('requests'),
    changes: of('changes'),
    identity,
  };
}

function contextOf(request: FastifyRequest, known: KnownSessions): RequestContext {
  const { session_token: token } = request.signInCookies;
  const session = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url');
  return {
    request,
    network: `network ${rateLimitKey(request)}`,
    session,
    personId: session === undefined ? undefined : known.personOf(session),
    admitted: false,
  };
}

/** A request without a session looks up only its cookies of sign-in. */
function lookUpsOf({ session, ...context }: RequestContext, lanes: Lanes): Chosen {
  const share =
    session === undefined
      ? lanes.people.signedOut.of(context.network)
      : lanes.people.lookUps.of({ ...context, session });
  return { people: share, accounts: share, requests: share, changes: share };
}

function connectionsOf(context: RequestContext, lanes: Lanes, prefix: string): Chosen {
  const { request, network, session, personId, admitted } = context;
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (admitted) return workspaceConnections(request, lanes, prefix, reading);
  const visitor =
    session === undefined || personId === undefined ? undefined : { network, session, personId };
  // An unknown session may have ended. A stranger can have many ended sessions, so an unknown one has no share of its own.
  const shareOf = ({ signedIn, signedOut }: Lane): Connections =>
    visitor === undefined ? signedOut.of(network) : signedIn.of(visitor);
  const people = shareOf(lanes.people);
  const changes = shareOf(lanes.writes);
  return { people, accounts: people, requests: reading ? people : changes, changes };
}

function workspaceConnections(
  request: FastifyRequest,
  lanes: Lanes,
  prefix: string,
  reading: boolean,
): Chosen {
  const { workspaceId } = request.params as { readonly workspaceId: string };
  const path = request.routeOptions.url?.slice(prefix.length) ?? '';
  const people = lanes.people.of(workspaceId);
  const changes = lanes.writes.of(`dashboard ${workspaceId}`);
  const searching = Object.keys(Object(request.query)).some((name) => SEARCHES.has(name));
  const reads = CHEAP_READS.has(path) && !searching ? people : lanes.slow.of(workspaceId);
  return { people, accounts: changes, requests: reading ? reads : changes, changes };
}

/** The people of the sessions that were active when last looked up. Used to share connections, not to authorize. */
export interface KnownSessions {
  personOf(session: string): string | undefined;
  /** Stores the person of a session. With undefined, removes the session, because it has ended. */
  keep(session: string, personId: string | undefined): void;
}

/** Keeps the `max` sessions that were looked up last. */
export function createKnownSessions(max = KNOWN_SESSIONS_MAX): KnownSessions {
  const people = new Map<string, string>();
  return {
    personOf: (session) => people.get(session),
    keep(session, personId) {
      people.delete(session);
      if (personId === undefined) return;
      people.set(session, personId);
      const [oldest] = people.keys();
      if (people.size > max && oldest !== undefined) people.delete(oldest);
    },
  };
}
