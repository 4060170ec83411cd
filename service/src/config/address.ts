const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Whether the host to listen on stands for all addresses of the machine. */
export const isEveryAddress = (host: string): boolean => EVERY_ADDRESS.has(host);

/**
 * An address of the service as a URL. An IPv6 host stands in brackets; "all addresses" is none that a browser could
 * ask for, so it is `localhost`: right on this machine, also through the published port of a container.
 */
export function urlOf(host: string, port: number): string {
  const reachable = isEveryAddress(host) ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
