import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

export interface Pinned {
  /** Names the owner and the addresses that were checked. Only requests with the same pin share a connection. */
  readonly pin?: string;
}

const IDLE_MS = 10_000;
/** Of all owners. The connection that is idle for the longest time closes when there is one more. */
const IDLE_MAX = 256;

/** The connections that wait for a next request. */
class IdleConnections {
  readonly #idle = new Set<Duplex>();
  readonly #known = new WeakSet<Duplex>();

  add(socket: Duplex): void {
    const [oldest] = this.#idle;
    if (this.#idle.size >= IDLE_MAX) oldest?.destroy();
    this.#idle.add(socket);
    if (this.#known.has(socket)) return;
    this.#known.add(socket);
    socket.once('close', () => this.#idle.delete(socket));
  }

  remove(socket: Duplex): void {
    this.#idle.delete(socket);
  }
}

/** The agents of both protocols. `end` closes all of their connections. */
export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  end(): void;
}

/**
 * Creates agents that keep connections for later requests. A connection is used again only with the same owner, host, port
 * and checked addresses. So a name that now has another address never gets a request on an old connection, and no owner
 * waits for the connections of another one.
 */
export function createAgents(perReceiverMax: number): Agents {
  const idle = new IdleConnections();
  const options = { keepAlive: true, timeout: IDLE_MS, maxSockets: perReceiverMax };
  const agents = {
    http: pinned(new http.Agent(options), idle),
    https: pinned(new https.Agent(options), idle),
  };
  return {
    ...agents,
    end: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Adds the pin to the name under which an agent keeps connections, and records which of them are idle. */
function pinned<A extends http.Agent>(agent: A, idle: IdleConnections): A {
  const { getName, keepSocketAlive, reuseSocket } = agent;
  return Object.assign(agent, {
    getName: (options?: http.ClientRequestArgs & Pinned): string =>
      `${getName.call(agent, options)}:${options?.pin}`,
    // Node.js keeps the connection if this returns true, although its type says that it returns nothing.
    keepSocketAlive: (socket: Duplex) => {
      idle.add(socket);
      return keepSocketAlive.call(agent, socket);
    },
    reuseSocket: (socket: Duplex, request: http.ClientRequest): void => {
      idle.remove(socket);
      reuseSocket.call(agent, socket, request);
    },
  });
}
