import type { Config } from '../config.ts';

/** The configuration once the database, the secrets and the port are known: all that a serving process needs. */
export interface ServiceSettings extends Config {
  readonly databaseUrl: string;
  readonly secrets: readonly string[];
  /** The file descriptor that every process of the service writes its log to. */
  readonly logFd: number;
}

/** An address of the service as a URL; an IPv6 host stands in brackets, and "all addresses" means this machine. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
