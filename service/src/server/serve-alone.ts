import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Limiter } from '../quota/limiter.ts';
import { type Serving, serve } from './serve.ts';
import type { ServiceSettings } from './settings.ts';

/** Serves in this process only, with its own limits and metrics. */
export function serveAlone(
  settings: ServiceSettings,
  parts: { readonly log: Logger; readonly limiter: Limiter },
): Promise<Serving> {
  const registry = new Registry();
  return serve(settings, { ...parts, registry, readMetrics: () => registry.metrics() });
}
