import http from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** All methods that Node.js reads, except CONNECT, which asks for a tunnel and never arrives as a request. */
const METHODS = http.METHODS.filter((method) => method !== 'CONNECT');

/** The methods of each path. */
export type MethodsByPath = ReadonlyMap<string, ReadonlySet<string>>;

/** Makes the router accept every method, so that a route can refuse it with 405. */
export function acceptEveryMethod(app: FastifyInstance): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
}

/** Collects the methods of the routes that are registered from now on. */
export function collectMethods(app: FastifyInstance): MethodsByPath {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  return methods;
}

/**
 * Refuses every other method on the collected paths. `refusal` returns the error, with the status 405. `allow` is the value
 * of its header `Allow`.
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  methods: MethodsByPath,
  refusal: (method: string, allow: string) => Error,
): void {
  const allowed = [...methods.keys()].map((url) => {
    // A path below a list can also be a record: GET /audits/batch reads the record with the id `batch`.
    const ofRecords = methods.get(url.replace(/[^/]+$/, ':id')) ?? [];
    return { url, known: [...new Set([...(methods.get(url) ?? []), ...ofRecords])] };
  });
  for (const { url, known } of allowed) {
    const others = METHODS.filter((method) => !known.includes(method));
    const allow = known.join(', ');
    const refuse = ({ method }: { readonly method: string }): never => {
      throw refusal(method, allow);
    };
    // This hook runs after authentication and before the body is read.
    const onRequest = async (request: FastifyRequest): Promise<void> => refuse(request);
    app.route({ method: others, url: url.slice(app.prefix.length), onRequest, handler: refuse });
  }
}
