import { randomUUID } from 'node:crypto';
import type { Telemetry, TelemetryOptions } from '@svc/telemetry/export';
import manifest from '../../package.json' with { type: 'json' };
import type { ServiceSettings } from './calls.ts';

/** Starts the export of traces and metrics of this process, if an endpoint is set. Loads OpenTelemetry only then. */
export async function openTelemetry(
  { telemetry: settings }: Pick<ServiceSettings, 'telemetry'>,
  parts: Pick<TelemetryOptions, 'report' | 'readMetrics'>,
): Promise<Telemetry | undefined> {
  if (settings === undefined) return undefined;
  const { startTelemetry } = await import('@svc/telemetry/export');
  return startTelemetry({ settings, instance: randomUUID(), version: manifest.version, ...parts });
}
