import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Connections, Lane } from '../../database/lane.ts';
import type { Lanes } from '../../database/lanes.ts';
import { rateLimitKey } from '../../http/proxies.ts';
import { createKnownSessions, type KnownSessions } from './known-sessions.ts';

const WORKSPACE = '/workspaces/:workspaceId';

/**
 * Reads of a workspace whose cost has a bound. Every other one goes to the slow lane, also one that is new: there it
 * can delay nothing but its like.
 */
const CHEAP_READS: ReadonlySet<string> = new Set([
  WORKSPACE,
  `${WORKSPACE}/data/:resource`,
  `${WORKSPACE}/data/:resource/:recordId`,
  `${WORKSPACE}/invitations`,
  `${WORKSPACE}/keys`,
  `${WORKSPACE}/log/:entryId`,
  `${WORKSPACE}/members`,
]);

/**
 * Connections as the running request of the dashboard takes them. No route chooses, so none can choose wrong. The share
 * grows with what is confirmed: before, a request has its network's part of what is left to those who are not signed in;
 * with a session, the person's part of its network's; as a member, the share of the workspace in the path. So nobody
 * takes turns of a workspace by naming it.
 */
export interface DashboardConnections {
  /** For sign-in, sessions and what is read at a bounded cost. */
  readonly people: Connections;
  /** For transactions of sign-in and members. A member's wait for their turn among the writes of the workspace. */
  readonly accounts: Connections;
  /** For all else: a request that changes something waits for its turn among the writes of its owner. */
  readonly requests: Connections;
  /** For what a request writes that only reads otherwise. */
  readonly changes: Connections;
  readonly standing: Standing;
}

/** What the look-ups of session and role have confirmed about the running request. */
export interface Standing {
  /** Runs such a look-up: on connections that are for look-ups only. */
  lookUp<T>(work: () => Promise<T>): Promise<T>;
  /** The session is this person's. Undefined: it has ended. */
  identify(personId: string | undefined): void;
  /** The person is a member of the workspace in the path. */
  admit(): void;
}

type Kind = Exclude<keyof DashboardConnections, 'standing'>;
type Chosen = Readonly<Record<Kind, Connections>>;

/** A request, and what is confirmed about it. */
interface Visit {
  readonly request: FastifyRequest;
  readonly network: string;
  /** A digest of the token in the session's cookie. */
  readonly session: string | undefined;
  personId: string | undefined;
  admitted: boolean;
}

export function dashboardConnections(api: FastifyInstance, lanes: Lanes): DashboardConnections {
  const known = createKnownSessions();
  const running = new AsyncLocalStorage<Visit>();
  const lookingUp = new AsyncLocalStorage<true>();
  // After the body has arrived: its events do not belong to the request's asynchronous context.
  api.addHook('preHandler', (request, _reply, done) => {
    running.run(visitOf(request, known), done);
  });
  const nobody = lanes.people.of('nobody');
  const choose = (kind: Kind): Connections => {
    const visit = running.getStore();
    if (visit === undefined) return nobody;
    return (lookingUp.getStore() ? lookUpsOf(visit, lanes) : connectionsOf(visit, lanes, api.prefix))[kind];
  };
  const of = (kind: Kind): Connections => ({
    query: (query, values) => choose(kind).query(query, values),
    connect: () => choose(kind).connect(),
  });
  const standing: Standing = {
    lookUp: (work) => lookingUp.run(true, work),
    identify: (personId) => {
      const visit = running.getStore();
      if (visit?.session === undefined) return;
      known.keep(visit.session, personId);
      visit.personId = personId;
    },
    admit: () => {
      const visit = running.getStore();
      if (visit !== undefined) visit.admitted = true;
    },
  };
  return {
    people: of('people'),
    accounts: of('accounts'),
    requests: of('requests'),
    changes: of('changes'),
    standing,
  };
}

function visitOf(request: FastifyRequest, known: KnownSessions): Visit {
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

/** A request without a session has nothing to look up but cookies of sign-in. */
function lookUpsOf({ session, ...visit }: Visit, lanes: Lanes): Chosen {
  const share =
    session === undefined
      ? lanes.people.signedOut.of(visit.network)
      : lanes.people.lookUps.of({ ...visit, session });
  return { people: share, accounts: share, requests: share, changes: share };
}

function connectionsOf(visit: Visit, lanes: Lanes, prefix: string): Chosen {
  const { request, network, session, personId, admitted } = visit;
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (admitted) return workspaceConnections(request, lanes, prefix, reading);
  const visitor =
    session === undefined || personId === undefined ? undefined : { network, session, personId };
  // A stranger makes up paths and bodies for free, and has as many sessions that have ended as sign-ins.
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
  const reads = CHEAP_READS.has(path) ? people : lanes.slow.of(workspaceId);
  return { people, accounts: changes, requests: reading ? reads : changes, changes };
}
