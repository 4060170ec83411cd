import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Connections } from '../database/lane.ts';
import type { Lanes } from '../database/lanes.ts';
import { countedAddress, networkOf } from '../http/client-address.ts';

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
 * Connections as the running request of the dashboard takes them. No route chooses, so none can choose wrong. A request
 * without a session has its network's part of what is left to those who are not signed in.
 */
export interface DashboardConnections {
  /** For sign-in, sessions and roles: by workspace where the path names one, else by session. */
  readonly people: Connections;
  /** For transactions of sign-in and members: by workspace where the path names one, else by session. */
  readonly accounts: Connections;
  /** For all else: a request that changes something waits for its turn among the writes of its workspace. */
  readonly requests: Connections;
  /** For what a request writes that only reads otherwise. */
  readonly changes: Connections;
}

export function dashboardConnections(api: FastifyInstance, lanes: Lanes): DashboardConnections {
  const running = new AsyncLocalStorage<DashboardConnections>();
  // After the body has arrived: its events do not belong to the request's asynchronous context.
  api.addHook('preHandler', (request, _reply, done) => {
    running.run(connectionsOf(request, lanes, api.prefix), done);
  });
  const nobody = lanes.people.of('nobody');
  const outside: DashboardConnections = {
    people: nobody,
    accounts: nobody,
    requests: nobody,
    changes: nobody,
  };
  const of = (kind: keyof DashboardConnections): Connections => ({
    query: (query, values) => (running.getStore() ?? outside)[kind].query(query, values),
    connect: () => (running.getStore() ?? outside)[kind].connect(),
  });
  return { people: of('people'), accounts: of('accounts'), requests: of('requests'), changes: of('changes') };
}

function connectionsOf(request: FastifyRequest, lanes: Lanes, prefix: string): DashboardConnections {
  const { workspaceId } = request.params as { readonly workspaceId?: string };
  const { session_token } = request.signInCookies;
  const reading = request.method === 'GET' || request.method === 'HEAD';
  // A stranger makes up paths and bodies for free, but neither a signed cookie nor a network.
  if (session_token === undefined) {
    const network = `network ${networkOf(countedAddress(request))}`;
    const people = lanes.people.signedOut.of(network);
    const changes = lanes.writes.signedOut.of(network);
    return { people, accounts: people, requests: reading ? people : changes, changes };
  }
  const owner = workspaceId ?? `session ${session_token}`;
  const people = lanes.people.of(owner);
  const changes = lanes.writes.of(`dashboard ${owner}`);
  if (workspaceId === undefined)
    return { people, accounts: people, requests: reading ? people : changes, changes };
  const path = request.routeOptions.url?.slice(prefix.length) ?? '';
  const reads = CHEAP_READS.has(path) ? people : lanes.slow.of(workspaceId);
  return { people, accounts: changes, requests: reading ? reads : changes, changes };
}
