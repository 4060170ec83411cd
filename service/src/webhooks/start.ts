import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import { countDeliveries } from '@svc/telemetry/metrics';
import { type Tracing, tracedSender } from '@svc/telemetry/tracing';
import { createWebhookSender, parseNetworks } from '@svc/webhook-sender';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { systemClock } from '../config/time.ts';
import { createPool } from '../database/pool.ts';
import { createChangeSignals, type SignalChannel } from '../signals/signals.ts';
import { type Engine, startEngine } from './engine.ts';

interface WebhookOptions {
  readonly databaseUrl: string;
  /** The deployment's secrets: they open the secrets of the endpoints. */
  readonly secrets: readonly string[];
  /** Receivers may be in these networks, besides the public internet. */
  readonly networks: string;
  /** Carries the signals of changes. */
  readonly channel: SignalChannel;
  /** Undefined: no traces are exported. */
  readonly tracing?: Tracing | undefined;
  /** Gets the metrics of the deliveries. */
  readonly registry: Registry;
  readonly log: Logger;
}

/** The database connections of the deliveries of a node. */
export const WEBHOOK_CONNECTIONS = 4;
const STATEMENT_TIMEOUT_MS = 10_000;

/** Delivers webhooks on connections of its own until `stop`. */
export function startWebhooks(options: WebhookOptions): Engine {
  const { databaseUrl, secrets, networks, channel, tracing, registry, log } = options;
  const pool = createPool({
    url: databaseUrl,
    max: WEBHOOK_CONNECTIONS,
    name: 'svcd webhooks',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onError: (error) => log.debug({ err: error }, 'a database connection of the webhooks broke'),
  });
  const signals = createChangeSignals({ channel, connections: pool, log });
  const sender = createWebhookSender({ networks: parseNetworks(networks) });
  const engine = startEngine({
    connections: pool,
    sealer: createSecretSealer(secrets),
    send: countDeliveries(registry, tracedSender(sender.send, tracing)),
    signals,
    log,
    now: systemClock,
    random: Math.random,
  });
  return {
    async stop() {
      await engine.stop();
      sender.end();
      await signals.close();
      await pool.end();
    },
  };
}
