import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

/** What the database knows of the whole deployment. */
export interface DatabaseFigures {
  readonly databaseBytes: number;
  /** Webhook endpoints that are enabled, and those of them whose last delivery failed. */
  readonly endpoints: number;
  readonly failingEndpoints: number;
  /** Webhooks that wait to be sent again, and since when the oldest exists. */
  readonly pendingDeliveries: number;
  readonly oldestPendingSeconds: number;
  /** Workspaces with requests that are not counted in their usage yet. */
  readonly uncountedWorkspaces: number;
}

export interface DatabaseOptions {
  /** Rejects if the database does not respond. */
  readonly ping: () => Promise<unknown>;
  readonly read: () => Promise<DatabaseFigures>;
  readonly nowMs?: () => number;
}

/** How old figures may be: they take longer in a large database. */
const FIGURES_AGE_MS = 60_000;
/** Figures that could not be renewed are left out after this time: they would look like current ones. */
const FIGURES_LAST_MS = 180_000;
/** The most time that a ping waits for the database. */
const PING_TIMEOUT_MS = 1_000;

const GAUGES: Readonly<Record<keyof DatabaseFigures, readonly [name: string, help: string]>> = {
  databaseBytes: ['svc_database_size_bytes', 'Size of the database.'],
  endpoints: ['svc_webhook_endpoints', 'Webhook endpoints that are enabled.'],
  failingEndpoints: [
    'svc_webhook_failing_endpoints',
    'Enabled webhook endpoints whose last delivery failed.',
  ],
  pendingDeliveries: [
    'svc_webhook_pending_deliveries',
    'Webhooks that wait to be sent again, at most 100,000.',
  ],
  oldestPendingSeconds: [
    'svc_webhook_oldest_pending_seconds',
    'Age of the oldest webhook that waits to be sent again.',
  ],
  uncountedWorkspaces: [
    'svc_usage_uncounted_workspaces',
    'Workspaces whose usage is not counted completely yet.',
  ],
};

/**
 * The same ping, which rejects (ETIMEDOUT) if the database does not respond within a second. While the database hangs, all
 * callers share one statement.
 */
export function limitPing(ping: () => Promise<unknown>): () => Promise<void> {
  let pinging: Promise<unknown> | undefined;
  return async () => {
    pinging ??= ping().finally(() => {
      pinging = undefined;
    });
    const late = delay(PING_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw Object.assign(new Error('the database has not answered for a second'), { code: 'ETIMEDOUT' });
    });
    await Promise.race([pinging, late]);
  };
}

/**
 * Adds the state of the database to the registry. The figures are read in the background, at most once a minute, so a
 * scrape never waits for them. Nodes that share a database have the same figures.
 */
export function measureDatabase(registry: Registry, options: DatabaseOptions): void {
  const { read, nowMs = () => performance.now() } = options;
  const ping = limitPing(options.ping);
  const registers = [registry];
  new Gauge({
    name: 'svc_database_up',
    help: 'Whether the database responds within a second: 1 or 0.',
    registers,
    async collect() {
      await ping().then(
        () => this.set(1),
        () => this.set(0),
      );
    },
  });
  let figures: DatabaseFigures | undefined;
  let reading: Promise<void> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let figuresAtMs = Number.NEGATIVE_INFINITY;
  const refresh = (): void => {
    if (reading !== undefined || nowMs() < readAtMs + FIGURES_AGE_MS) return;
    readAtMs = nowMs();
    reading = read()
      .then(
        (current) => {
          figures = current;
          figuresAtMs = nowMs();
        },
        () => {
          // svc_database_up says so.
          figures = undefined;
        },
      )
      .finally(() => {
        reading = undefined;
      });
  };
  refresh();
  for (const key of Object.keys(GAUGES) as (keyof DatabaseFigures)[]) {
    const [name, help] = GAUGES[key];
    new Gauge({
      name,
      help,
      registers,
      collect() {
        refresh();
        this.reset();
        if (figures === undefined || nowMs() > figuresAtMs + FIGURES_LAST_MS) this.remove();
        else this.set(figures[key]);
      },
    });
  }
}
