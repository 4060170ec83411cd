import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Connections } from '../database/lane.ts';
import type { Lanes } from '../database/lanes.ts';
import { countedAddress } from '../http/client-address.ts';

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

/** Longer ones are told apart by their beginning. */
const OWNER_MAX_CHARACTERS = 512;

/** Connections as the running request of the dashboard takes them. No route chooses, so none can choose wrong. */
export interface DashboardConnections {
  /** For sign-in, sessions and roles: by workspace where the path names one, else by person. */
  readonly people: Connections;
  /** For transactions of sign-in and members: by workspace where the path names one, else by person. */
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
  const people = lanes.people.of(workspaceId ?? personOf(request));
  const changes = lanes.writes.of(`dashboard ${workspaceId ?? personOf(request)}`);
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (workspaceId === undefined)
    return { people, accounts: people, requests: reading ? people : changes, changes };
  const path = request.routeOptions.url?.slice(prefix.length) ?? '';
  const reads = CHEAP_READS.has(path) ? people : lanes.slow.of(workspaceId);
  return { people, accounts: changes, requests: reading ? reads : changes, changes };
}

/** Who asks, as far as that is known before the database is asked: only to share, never to trust. */
function personOf(request: FastifyRequest): string {
  const { body } = request;
  const email = typeof body === 'object' && body !== null && 'email' in body ? body.email : undefined;
  const owner =
    typeof email === 'string' ? `email ${email}` : (request.headers.cookie ?? countedAddress(request));
  return owner.slice(0, OWNER_MAX_CHARACTERS);
}
