const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Whether the host to listen on means all addresses of the machine. */
export const isEveryAddress = (host: string): boolean => EVERY_ADDRESS.has(host);

/**
 * The URL of a host and port. An IPv6 host gets brackets. "All addresses" is not an address that a browser can open, so
 * it becomes `localhost`, which works on this machine, also for the published port of a container.
 */
export function urlOf(host: string, port: number): string {
  const reachable = isEveryAddress(host) ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
